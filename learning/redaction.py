"""Taking out of a record what must not travel into another run's prompt: people, secrets, serials, our ids."""

import re
from typing import Any

REMOVED = "[removed]"
LONGEST = 4_000  # characters that are looked at of one text; no prompt shows so many

_CONFIDENTIAL = (
    r"(?:pass(?:word|wd|phrase)?|passwort|kennwort|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key)"
)
_SERIAL = (
    r"(?:serial(?:[ _-]?(?:number|no\.?|nr\.?))?|s/n|sn|seriennummer|serien-?nr\.?|imei|mac(?:[ _-]address)?)"
)
_SCHEME = r"\b[a-z][a-z0-9+.-]{0,20}://"
_KEYS = r"[\w-]{0,40}(?:key|token|secret|sig|password|auth)"
# None looks further ahead than a bounded stretch, so that no text makes them slow.
PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*KEY-----.*?(?:-----END [A-Z ]*KEY-----|\Z)", re.S),
    re.compile(
        rf"{_SCHEME}[^\s/@:]{{1,200}}(?::[^\s/@]{{0,200}})?@[^\s\"'<>]+", re.I
    ),  # credentials before the host
    re.compile(rf"{_SCHEME}[^\s\"'<>]{{0,500}}[?&]{_KEYS}=[^\s\"'<>]*", re.I),
    re.compile(r"[\w.+-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\.[\w-]+)+", re.I),
    re.compile(r"\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b", re.I),  # our ids, and other people's
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    re.compile(r"\b(?:sk|pk|rk|fb|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|npm|AKIA|ASIA|AIza)[-_]?[\w-]{16,}"),
    re.compile(r"\b(?:bearer|basic)\s+[\w.~+/=-]{16,}", re.I),
    re.compile(rf"\b{_CONFIDENTIAL}\b\s*(?:[:=]|ist?\b)\s*\S+", re.I),
    re.compile(rf"\b{_SERIAL}(?![\w/])\s*[:#=]?\s*(?=[\w-]{{0,60}}\d)[\w-]{{4,}}", re.I),
    re.compile(r"\b(?=[\w+/-]{0,200}\d)(?=[\w+/-]{0,200}[a-z])(?=[\w+/-]{0,200}[A-Z])[\w+/-]{32,}={0,2}"),
    re.compile(r"\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{32,}\b", re.I),
    re.compile(r"(?<![\w.])(?:\+|00)\d{1,3}[\s().\-/]{0,2}\d(?:[\s().\-/]{0,2}\d){6,12}(?!\w)"),
    re.compile(r"(?<![\w.,])\(?0\d{2,5}\)?[\s\-/]{1,3}\d{3,}(?:[\s\-]\d{2,}){0,3}(?![\w.,]\d)"),
    re.compile(r"(?<![\w.,-])\(?\d{3}\)?[\s.-]\d{3}[.-]\d{4}(?![\w-])"),
    re.compile(r"\b(?:tel|phone|fon|telefon|mobil|mobile|fax|hotline)\b\.?\s*:?\s*[\d(+][\d\s().\-/]{5,}\d", re.I),
)
_NAMED = re.compile(rf"(?:\W*\b(?:{_CONFIDENTIAL}|{_SERIAL}))(?!\w)\W*", re.I)


def redact(text: str) -> str:
    """The text without them. Of a text too long to be read whole, the first whole words are kept."""
    if len(text) > LONGEST:
        text = " ".join(text[:LONGEST].split()[:-1])
    for pattern in PATTERNS:
        text = pattern.sub(REMOVED, text)
    return text


def names_a_secret(name: str) -> bool:
    """Whether a field of this name holds what is removed whatever it looks like: a serial number, a password."""
    return _NAMED.fullmatch(name) is not None


def redacted(value: Any) -> Any:
    """The same JSON with every string redacted, and the values of fields that are named like a secret removed."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redacted(part) for part in value]
    if isinstance(value, dict):
        secret = any(isinstance(value.get(k), str) and names_a_secret(value[k]) for k in ("name", "label", "key"))
        return {
            key: REMOVED
            if part is not None and (names_a_secret(key) or (secret and key == "value"))
            else redacted(part)
            for key, part in value.items()
        }
    return value
