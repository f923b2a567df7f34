"""Mending the form of a record, and nothing that it says."""

from collections.abc import Mapping
from typing import Any

from generation.providers.demo import units, vocabulary
from generation.providers.demo.extract import Record
from generation.providers.demo.faults import MENDING_RATE, falls
from generation.providers.demo.vocabulary import dimension, fold, is_german

FIELDS = ("name", "description", "specifications", "dimensions", "sources")
WORDS = {word: value for value, words in enumerate(
    ("zero null", "one ein eine", "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben",
     "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf")) for word in words.split()}  # fmt: skip


def mended(draft: Mapping[str, Any]) -> Record:
    """The draft in the form of the item's schema. What has no place there becomes a specification."""
    german = is_german(str(draft))
    description = draft.get("description")
    sources = draft.get("sources")
    return {
        "name": _text(draft.get("name")) or _text(draft.get("title")) or "unnamed",
        "description": _text(description) or None,
        "specifications": _specifications(draft, german),
        "dimensions": _dimensions(draft.get("dimensions"), german),
        "sources": [str(one) for one in sources] if isinstance(sources, list) else ["source"],
    }


def _specifications(draft: Mapping[str, Any], german: bool) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, value, unit in _listed(draft):
        if name and fold(name) not in found:
            found[fold(name)] = {"name": name, **_value(name, value, unit, german)}
    return list(found.values())


def _listed(draft: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Name, value and unit of every specification, a list of objects or one object, and of unknown fields."""
    given = draft.get("specifications")
    if isinstance(given, Mapping):
        listed = [(_text(name), value, None) for name, value in given.items()]
    else:
        entries = given if isinstance(given, list) else []
        listed = [
            (_text(spec.get("name")), spec.get("value"), spec.get("unit"))
            for spec in entries
            if isinstance(spec, Mapping)
        ]
    return listed + [(_text(name), value, None) for name, value in draft.items() if name not in (*FIELDS, "title")]


def _value(name: str, value: Any, unit: Any, german: bool) -> dict[str, Any]:
    symbol = _text(unit) or None
    if isinstance(value, bool):
        return {"value": "yes" if value else "no", "unit": symbol}
    if value is None or isinstance(value, int | float):
        return {"value": value, "unit": symbol}
    text = _text(value)
    if not falls(MENDING_RATE, name, text, "formatter"):
        return {"value": text, "unit": symbol}
    if text.lower() in WORDS:
        return {"value": WORDS[text.lower()], "unit": symbol}
    measured = units.measured(text, german)
    if measured and (measured.unit or measured.is_number) and not (measured.unit and symbol):
        return {"value": measured.value, "unit": measured.unit or symbol}
    return {"value": text, "unit": symbol}


def _dimensions(given: Any, german: bool) -> dict[str, Any]:
    sizes: dict[str, Any] = dict.fromkeys(vocabulary.DIMENSIONS)
    if isinstance(given, Mapping):
        for name, size in given.items():
            known = dimension(str(name))
            if known and sizes[known] is None:
                sizes[known] = _size(size, german)
    return sizes


def _size(size: Any, german: bool) -> dict[str, Any] | None:
    """A size as an object, as text ("19,4 cm"), or as an object with a text in it; None where it is neither."""
    value, unit = (size.get("value"), size.get("unit")) if isinstance(size, Mapping) else (size, None)
    symbol = _text(unit) or None
    if isinstance(value, str):
        measured = units.measured(value, german)
        if measured is None or not measured.is_number:
            return None
        value, symbol = measured.value, measured.unit or symbol
    if isinstance(value, bool) or not isinstance(value, int | float) or not symbol:
        return None
    return {"value": value, "unit": units.symbol(symbol)}


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
