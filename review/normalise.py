"""What callers send, made into what is stored: the one normaliser of signals, names and notes."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from generation.errors import Problems

MAX_NAMES = 50
MAX_NAME_LENGTH = 80
MAX_NOTES_LENGTH = 4000

_YES = frozenset({"true", "1", "yes", "y", "ja"})
_NO = frozenset({"false", "0", "no", "n", "nein"})


def to_bool(value: Any) -> bool | None:
    """True or False where the value clearly says so, None for all else: unset is not no."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    if isinstance(value, str):
        word = value.strip().casefold()
        return True if word in _YES else False if word in _NO else None
    return None


@lru_cache(maxsize=4096)  # the same few names come in every window
def fold(name: str) -> str:
    """What two spellings of one name share: letters and digits alone, without case.

    "Max. Load", "max-load" and "MAXLOAD" are one name. A name of signs only is kept as it is.
    """
    whole = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(c for c in whole if c.isalnum() or unicodedata.category(c)[0] == "M") or whole.strip()


def to_names(value: Any) -> list[str]:
    """The names in a list: strings alone, trimmed, without blanks and doubles, the first spelling kept."""
    if not isinstance(value, list | tuple):
        return []
    names: dict[str, str] = {}
    for item in value:
        if isinstance(item, str) and (name := _trimmed(item)):
            names.setdefault(fold(name), name)
    return list(names.values())


def name_of(value: str) -> str:
    """The name as given; ValueError where it is too long to be stored."""
    return _within(value, len(_trimmed(value)), MAX_NAME_LENGTH)


def names_of(value: list[str]) -> list[str]:
    """The names as given; ValueError where they are too many."""
    if (count := len(to_names(value))) > MAX_NAMES:
        raise ValueError(_("At most %(most)d names; these are %(count)d.") % _of(MAX_NAMES, count))
    return value


def notes_of(value: str) -> str:
    """The notes as given; ValueError where they are too long or no database can hold them."""
    if value != _storable(value):
        raise ValueError(_("Null characters and half surrogates cannot be stored."))
    return _within(value, len(value), MAX_NOTES_LENGTH)


def names_at(value: Iterable[Any], pointer: str = "/missing_spec") -> list[str]:
    """`to_names` within the limits; BadInput names each that is beyond them, by its place in what was given."""
    given, wrong = list(value), Problems()
    for index, name in enumerate(given):
        if isinstance(name, str):
            with wrong.told(f"{pointer}/{index}"):
                name_of(name)
    with wrong.told(pointer):
        names_of(given)
    wrong.refuse()
    return to_names(given)


def notes_at(value: str, pointer: str = "/notes") -> str:
    """The notes as written; BadInput where they cannot be kept."""
    wrong = Problems()
    with wrong.told(pointer):
        notes_of(value)
    wrong.refuse()
    return value


def _within(value: str, count: int, most: int) -> str:
    if count > most:
        raise ValueError(_("At most %(most)d characters; these are %(count)d.") % _of(most, count))
    return value


def _trimmed(name: str) -> str:
    return _storable(name).strip()


def _storable(text: str) -> str:
    """PostgreSQL holds neither null characters nor lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def _of(most: int, count: int) -> dict[str, int]:
    return {"most": most, "count": count}
