"""The one way by which free text enters a prompt: sanitized, capped, and quoted as data.

Hygiene, not a wall. What holds is that guidance is chosen by booleans, that text is data between markers, and
that answers are validated in code. A text is read again until nothing changes, so that nothing that was
removed can leave something new behind, and sanitizing twice is sanitizing once.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import count
from typing import Any

import structlog

from generation.characters import clean, skeleton

log = structlog.get_logger(__name__)

PASSES = 20  # a text that still changes after so many was made for it
RAW_LIMIT = 8000  # what is looked at of a raw text, however long it is; more where more may stay
LONGEST_KEY = 80  # characters of a field's name in a record


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
# Of these, the words that name fields of products; in a source or a draft they keep their colon.
FIELD_NAMES = frozenset((
    "tool", "function", "model", "ai", "bot", "chatbot", "agent", "role", "instruction", "instructions",
    "response", "prompt", "operator", "anweisung", "anweisungen",
))  # fmt: skip
COLONS = ":\u02d0\u02f8\u0589\u05c3\u0703\u0704\u1361\u1365\u16ec\u205a\u205d\u2236\ua789\ufe13\ufe55\uff1a"
_NUMERALS = "".join(
    char for char in map(chr, range(0x20000)) if unicodedata.category(char) in ("No", "Nl")
)  # ½, Ⅳ
_KIND = "(?:[ _-]?(?:prompt|message|instructions?|override|note|role|turn|says|nachricht))?"


def _any_of(roles: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted({skeleton(clean(role)) for role in roles}, key=lambda r: (-len(r), r))) + ")"


def _turn_of(roles: Iterable[str]) -> re.Pattern[str]:
    turn = rf"{_any_of(roles)}{_KIND}[\W_]*?[{COLONS}–](?:[\W_]*[{COLONS}])?"
    return re.compile(rf"^(?:[^\w\n]|[\d_{_NUMERALS}])*{turn}(?:[\W_]*{turn})*", re.M)


_ROLE = _any_of(ROLES)
TURNS = (_turn_of(ROLES), re.compile(rf"([\"'])(?:role|from|author|speaker)\1\s*[{COLONS}]"))
TURNS_IN_DATA = (
    _turn_of(role for role in ROLES if role not in FIELD_NAMES),
    re.compile(rf"([\"'])role\1\s*[{COLONS}]"),
)
BRACKETED_ROLE = re.compile(rf"(?:<\s*/?\s*({_ROLE})\s*/?>|\[\s*/?\s*({_ROLE})\s*\])")
ANY_COLON = re.compile(rf" ?[{COLONS}]")
DASH = " –"
GLUED = re.compile(r" –(?=\w)")

# --- Tokens: what models, templates and markup read as more than words -------------------------------------------

_SPECIAL = (
    "s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|begin_of_text|end_of_text|think|thinking|tool_call|tool_response|"
    r"tools?|function_calls?|function_results|invoke|parameter|antml:\w+"
)


def _without_hashes(found: re.Match[str]) -> str:
    return found.group().replace("#", "")


TOKENS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"<\|[^<>|\n]{0,60}\|>"), " "),
    (re.compile(rf"</?(?:{_SPECIAL})(?:\s[^<>\n]{{0,200}})?/?>", re.I), " "),
    (re.compile(r"<</?sys>>|\[/?(?:inst|sys|system_prompt|available_tools|tool_calls|tool_results)\]", re.I), " "),
    (re.compile(r"(?<!<)<{2,}\s*/?[A-Za-z][A-Za-z0-9_]*\s*>{2,}"), " "),  # our placeholders
    (re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{0,200}%\}|\{#[^{}\n]{0,200}#\}"), " "),  # templates'
    (re.compile(r"<!--+|(?<!-)--+>|<!\[CDATA\[|\]\]>", re.I), " "),  # what hid becomes visible
    (re.compile(r"\[//\]\s*:\s*#|\[//\]\s*#"), " "),
    (re.compile(r"(?<!!)!+(?=\[)"), ""),
    (re.compile(r"`{3,}|~{3,}"), " "),
    (re.compile(r'"{3,}'), '"'),
    (re.compile(r"'{3,}"), "'"),
    (re.compile(r"^[ \t]*([-=*_#+~])(?:[ \t]*\1){2,}[ \t]*$", re.M), ""),  # rules
    (re.compile(r"^(?=[ \t>]*#)(?:[ \t>]|#+(?=\s|$))+", re.M), _without_hashes),  # headings
    (re.compile(r"<{2,}"), "«"),
    (re.compile(r">{2,}"), "»"),
    (re.compile(r"<([/!?]?[^\W\d_][^<>\n]{0,200})>"), r"‹\1›"),  # tags, in any letters
    (re.compile(r"<(?=[/!?|]|[^\W\d_]|\s*/\s*[^\W\d_])"), "‹"),
    (re.compile(r"\|>"), "|›"),
    (re.compile(r"\{(?=[{%#])"), "{ "),
    (re.compile(r"(?<=[}%#])\}"), " }"),
)
SPACES = ((re.compile(r" {2,}"), " "), (re.compile(r" *\n *"), "\n"), (re.compile(r"\n{3,}"), "\n\n"))


def harmless(text: str, limit: int, *, data: bool = False) -> str:
    """The text as it may enter a prompt, at most `limit` characters. Raises where there is no such text.

    data: a text to be read for its facts, a source or a draft: its columns and the names of its fields stay.
    """
    if not isinstance(text, str):
        raise Unsanitizable("no text")
    text = text[: max(RAW_LIMIT, limit) + 1]
    for _ in range(PASSES):
        read = _cut(_pass(text, data), limit)
        if read == text:
            return text
        text = read
    raise Unsanitizable("a text without an end")


def sanitize(text: str, limit: int, *, data: bool = False) -> str:
    """`harmless`, and the empty string where that fails."""
    try:
        return harmless(text, limit, data=data)
    except Exception as error:  # degrade-gracefully point: no text is better than a bad one
        log.warning("sanitizer_fell_back", error=type(error).__name__)
        return ""


def one_line(text: str, limit: int) -> str:
    """`harmless` for a name: what has several lines becomes one."""
    return harmless(" ".join(clean(text).split()), limit)


def harmless_json(value: Any, limit: int) -> Any:
    """The same JSON with every text in it as `sanitize` leaves data, each at most `limit` characters."""
    if isinstance(value, str):
        return sanitize(value, limit, data=True)
    if isinstance(value, list):
        return [harmless_json(part, limit) for part in value]
    if isinstance(value, dict):
        return {key_of(str(key)): harmless_json(part, limit) for key, part in value.items()}
    return value


def key_of(key: str) -> str:
    """A field's name. One that JSON would make the opening of a turn is told apart from it."""
    name = sanitize(" ".join(clean(key).split()), LONGEST_KEY, data=True)
    return f"field {name}" if any(turn.search(skeleton(f'"{name}":')) for turn in TURNS_IN_DATA) else name


def quote(label: str, text: str) -> str:
    """The text as quoted data, between markers that carry a digest of it: no text can hold its own digest here.

    The same text has the same markers. No text, no markers.
    """
    if not text:
        return ""
    digests = (sha256(f"{turn}:{label}:{text}".encode()).hexdigest()[:12] for turn in count())
    digest = next(digest for digest in digests if digest not in text)
    return f'<quote-{digest} of="{label}">\n{text}\n</quote-{digest}>'


def _pass(text: str, data: bool) -> str:
    text = _unbracketed(clean(text, data=data))
    for pattern, instead in TOKENS:
        text = pattern.sub(instead, text)
    text = _turned(text, TURNS_IN_DATA if data else TURNS)
    for pattern, instead in () if data else SPACES:
        text = pattern.sub(instead, text)
    return text.strip()


# Roles are looked for in the skeleton, which has the text's length, and mended in the text.


def _unbracketed(text: str) -> str:
    for found in reversed(list(BRACKETED_ROLE.finditer(skeleton(text)))):
        start, end = found.span(1) if found.group(1) else found.span(2)
        text = f"{text[: found.start()]}{text[start:end]}{DASH} {text[found.end() :]}"
    return text


def _turned(text: str, turns: Iterable[re.Pattern[str]]) -> str:
    for pattern in turns:
        for found in reversed(list(pattern.finditer(skeleton(text)))):
            opening = ANY_COLON.sub(DASH, text[found.start() : found.end()])
            text = text[: found.start()] + GLUED.sub(f"{DASH} ", opening + text[found.end() :])
    return text


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[: limit - 1].rstrip()}…" if limit > 0 else ""
