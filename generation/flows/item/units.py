"""Units as people write them, folded before pint reads them."""

import re
from functools import cache
from typing import Any, Literal

Kind = Literal["length", "mass"]
BASE: dict[Kind, str] = {"length": "meter", "mass": "kilogram"}

# Folded spelling (lower case, trimmed, without a final full stop) → what pint knows it as.
ALIASES = {
    "zoll": "inch", '"': "inch", "″": "inch", "”": "inch", "“": "inch", "''": "inch", "inches": "inch",
    "fuß": "foot", "fuss": "foot", "'": "foot", "′": "foot", "feet": "foot",
    "millimeter": "mm", "millimetre": "mm", "zentimeter": "cm", "centimetre": "cm",
    "dezimeter": "dm", "meter": "m", "metre": "m", "mtr": "m",
    "gramm": "g", "gr": "g", "grams": "g", "kilogramm": "kg", "kilo": "kg", "kilos": "kg", "kgs": "kg",
    "milligramm": "mg", "tonne": "metric_ton", "tonnen": "metric_ton",
    "unze": "ounce", "unzen": "ounce", "lbs": "pound", "pounds": "pound", "pfd": "pound",
    "°c": "degC", "℃": "degC", "grad celsius": "degC", "°f": "degF", "℉": "degF",
}  # fmt: skip
WORD = re.compile(r"[^\W\d]{1,20}")  # pint would calculate with anything else: "m**9**9"


@cache
def registry() -> Any:
    """pint's unit registry; imported here because it takes half a second, which start-up must not."""
    import pint

    return pint.UnitRegistry()


def spellings(unit: str) -> list[str]:
    """What pint may know this unit as, the likeliest first."""
    folded = " ".join(unit.casefold().split()).rstrip(".")
    tries = [ALIASES.get(folded, ALIASES.get(unit.strip().lower(), "")), unit.strip().rstrip("."), folded]
    return [name for name in dict.fromkeys(tries) if name and WORD.fullmatch(name)]


def kind_of(unit: str) -> Kind | Literal["other"] | None:
    """Length, mass or something else; None where nobody knows the unit."""
    return _read(unit)[0]


def in_base(value: float, unit: str, kind: Kind) -> float | None:
    """The value in metres or kilograms; None where the unit is not of that kind."""
    found, name = _read(unit)
    if found != kind:
        return None
    return float(registry().Quantity(value, name).to(BASE[kind]).magnitude)


@cache
def _read(unit: str) -> tuple[Kind | Literal["other"] | None, str]:
    """A spelling that is a length or a mass wins over one that is neither: "KG" is kg."""
    from pint.errors import PintError

    other = ""
    for name in spellings(unit):
        try:
            dimensions = registry().parse_units(name).dimensionality
        except (PintError, ValueError, TypeError, AttributeError):
            continue
        for kind in BASE:
            if dimensions == {f"[{kind}]": 1}:
                return kind, name
        other = other or name
    return ("other", other) if other else (None, "")
