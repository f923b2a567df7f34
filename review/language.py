"""A guess at the language of a source, for hyphenation and for screen readers; nothing depends on it."""

import re
from collections.abc import Iterable

_COMMON = {
    "de": "der die das und mit für von ist nicht ein eine aus bei zum zur auf im den dem ohne sowie inkl",
    "en": "the and with for from is not a an of on in to by without includes your",
}
_WORDS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_FEWEST = 2


def language(texts: Iterable[str]) -> str:
    """The code of the language whose small words are clearly the more frequent; empty where unclear."""
    words = re.findall(r"[^\W\d_]+", " ".join(texts).casefold())
    counts = sorted(((sum(word in known for word in words), code) for code, known in _WORDS.items()), reverse=True)
    (most, code), (second, _other) = counts[0], counts[1]
    return code if most >= _FEWEST and most > second else ""
