"""The one way by which free text enters a prompt: sanitized, capped, and quoted as data.

Hygiene, not a wall. What holds is that guidance is chosen by booleans, that text is data between markers, and
that answers are validated in code. A text is read again until nothing changes, so that nothing that was
removed can leave something new behind, and sanitizing twice is sanitizing once.
"""

import re
from hashlib import sha256
from itertools import count

import structlog

from learning.characters import clean, skeleton

log = structlog.get_logger(__name__)

PASSES = 20  # a text that still changes after so many was made for it
RAW_LIMIT = 8000  # what is looked at of a raw text, however long it is


class Unsanitizable(Exception):
    """No harmless form was found; the text is left out."""


# --- Roles: a word that opens a line like a turn of a conversation keeps its letters, its colon becomes a dash ---

ROLES = (
    "system", "assistant", "user", "human", "developer", "tool", "function", "model", "ai", "bot",
    "chatbot", "agent", "role", "instruction", "instructions", "response", "prompt", "admin",
    "administrator", "operator", "benutzer", "nutzer", "anwender", "assistent", "mensch", "entwickler",
    "anweisung", "anweisungen", "système", "utilisateur", "sistema", "usuario", "usuário", "asistente",
    "assistente", "utente", "sistem", "kullanıcı", "asistan", "systeem", "gebruiker", "użytkownik",
    "asystent", "systém", "uživatel", "käyttäjä", "система", "пользователь", "ассистент", "користувач",
    "σύστημα", "χρήστης", "βοηθός", "النظام", "المستخدم", "مساعد", "מערכת", "משתמש", "प्रणाली",
    "उपयोगकर्ता", "系统", "系統", "用户", "用戶",
    "助手", "システム", "ユーザー", "アシスタント", "시스템", "사용자", "어시스턴트",
)  # fmt: skip
COLONS = ":\u02d0\u02f8\u0589\u05c3\u0703\u0704\u1361\u1365\u16ec\u205a\u205d\u2236\ua789\ufe13\ufe30\ufe55\uff1a"
_ROLE = "(?:" + "|".join(sorted({skeleton(clean(role)) for role in ROLES}, key=lambda r: (-len(r), r))) + ")"
_KIND = "(?:[ _-]?(?:prompt|message|instructions?|override|note|role|turn|says|nachricht))?"
_TURN = rf"{_ROLE}{_KIND}[\W_]*?[{COLONS}–](?:[\W_]*[{COLONS}])?"
TURN = re.compile(rf"^(?:[^\w\n]|[\d_])*{_TURN}(?:[\W_]*{_TURN})*", re.M)
JSON_ROLE = re.compile(rf"([\"'])(?:role|from|author|speaker)\1\s*[{COLONS}]")
BRACKETED_ROLE = re.compile(rf"(?:<\s*/?\s*({_ROLE})\s*/?>|\[\s*/?\s*({_ROLE})\s*\])")
ANY_COLON = re.compile(rf" ?[{COLONS}]")
DASH = " –"
GLUED = re.compile(r" –(?=\w)")

# --- Tokens: what models, templates and markup read as more than words -------------------------------------------

_SPECIAL = (
    "s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|begin_of_text|end_of_text|think|thinking|tool_call|tool_response|"
    r"tools?|function_calls?|function_results|invoke|parameter|antml:\w+"
)
TOKENS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<\|[^<>|\n]{0,60}\|>"), " "),
    (re.compile(rf"</?(?:{_SPECIAL})(?:\s[^<>\n]{{0,200}})?/?>", re.I), " "),
    (re.compile(r"<</?sys>>|\[/?(?:inst|sys|system_prompt|available_tools|tool_calls|tool_results)\]", re.I), " "),
    (re.compile(r"(?<!<)<{2,}\s*/?[A-Za-z][A-Za-z0-9_]*\s*>{2,}"), " "),  # our placeholders
    (re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{0,200}%\}|\{#[^{}\n]{0,200}#\}"), " "),  # templates'
    (re.compile(r"<!--+|--+>|<!\[CDATA\[|\]\]>", re.I), " "),  # what hid becomes visible
    (re.compile(r"\[//\]\s*:\s*#|\[//\]\s*#"), " "),
    (re.compile(r"!(?=\[)"), ""),
    (re.compile(r"`{3,}|~{3,}"), " "),
    (re.compile(r'"{3,}'), '"'),
    (re.compile(r"'{3,}"), "'"),
    (re.compile(r"^[ ]*([-=*_#+~])(?:[ ]*\1){2,}[ ]*$", re.M), ""),  # rules
    (re.compile(r"^([ >]*)#{1,6}(?=\s)", re.M), r"\1"),  # headings
    (re.compile(r"<{2,}"), "«"),
    (re.compile(r">{2,}"), "»"),
    (re.compile(r"<([/!?]?[A-Za-z][^<>\n]{0,200})>"), r"‹\1›"),  # tags
    (re.compile(r"<(?=[/!?|A-Za-z])"), "‹"),
    (re.compile(r"\|>"), "|›"),
    (re.compile(r"\{(?=[{%#])"), "{ "),
    (re.compile(r"(?<=[}%#])\}"), " }"),
)
SPACES = ((re.compile(r" {2,}"), " "), (re.compile(r" *\n *"), "\n"), (re.compile(r"\n{3,}"), "\n\n"))


def harmless(text: str, limit: int) -> str:
    """The text as it may enter a prompt, at most `limit` characters. Raises where there is no such text."""
    if not isinstance(text, str):
        raise Unsanitizable("no text")
    text = text[:RAW_LIMIT]
    for _ in range(PASSES):
        read = _cut(_pass(text), limit)
        if read == text:
            return text
        text = read
    raise Unsanitizable("a text without an end")


def sanitize(text: str, limit: int) -> str:
    """`harmless`, and the empty string where that fails."""
    try:
        return harmless(text, limit)
    except Exception as error:  # degrade-gracefully point: no text is better than a bad one
        log.warning("sanitizer_fell_back", error=type(error).__name__)
        return ""


def one_line(text: str, limit: int) -> str:
    """`harmless` for a name: what has several lines becomes one."""
    return harmless(" ".join(clean(text).split()), limit)


def quote(label: str, text: str) -> str:
    """The text as quoted data, between markers that carry a digest of it: no text can hold its own digest here.

    The same text has the same markers. No text, no markers.
    """
    if not text:
        return ""
    digests = (sha256(f"{turn}:{label}:{text}".encode()).hexdigest()[:12] for turn in count())
    digest = next(digest for digest in digests if digest not in text)
    return f'<quote-{digest} of="{label}">\n{text}\n</quote-{digest}>'


def _pass(text: str) -> str:
    text = _unbracketed(clean(text))
    for pattern, instead in TOKENS:
        text = pattern.sub(instead, text)
    text = _turned(text)
    for pattern, instead in SPACES:
        text = pattern.sub(instead, text)
    return text.strip()


# Roles are looked for in the skeleton, which has the text's length, and mended in the text.


def _unbracketed(text: str) -> str:
    for found in reversed(list(BRACKETED_ROLE.finditer(skeleton(text)))):
        start, end = found.span(1) if found.group(1) else found.span(2)
        text = f"{text[: found.start()]}{text[start:end]}{DASH} {text[found.end() :]}"
    return text


def _turned(text: str) -> str:
    for pattern in (TURN, JSON_ROLE):
        for found in reversed(list(pattern.finditer(skeleton(text)))):
            opening = ANY_COLON.sub(DASH, text[found.start() : found.end()])
            text = text[: found.start()] + GLUED.sub(f"{DASH} ", opening + text[found.end() :])
    return text


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[: limit - 1].rstrip()}…" if limit > 0 else ""
