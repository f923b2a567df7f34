"""Numbers and units as people write them: what a line's figure may mean, and whether two figures are one."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

# To the base of each kind. What is not here is compared by its folded spelling alone.
_FACTORS: dict[str, tuple[str, str]] = {
    "µm": ("length", "0.001"), "mm": ("length", "1"), "cm": ("length", "10"), "dm": ("length", "100"),
    "m": ("length", "1000"), "in": ("length", "25.4"), "ft": ("length", "304.8"),
    "mg": ("mass", "0.001"), "g": ("mass", "1"), "kg": ("mass", "1000"), "t": ("mass", "1000000"),
    "oz": ("mass", "28.349523125"), "lb": ("mass", "453.59237"),
    "ml": ("volume", "1"), "cl": ("volume", "10"), "l": ("volume", "1000"),
    "mv": ("voltage", "0.001"), "v": ("voltage", "1"), "kv": ("voltage", "1000"),
    "ma": ("current", "0.001"), "a": ("current", "1"),
    "mah": ("charge", "0.001"), "ah": ("charge", "1"), "wh": ("energy", "1"), "kwh": ("energy", "1000"),
    "w": ("power", "1"), "kw": ("power", "1000"), "hz": ("frequency", "1"), "khz": ("frequency", "1000"),
    "s": ("time", "1"), "min": ("time", "60"), "h": ("time", "3600"),
    "nm": ("torque", "1"), "ncm": ("torque", "0.01"), "rpm": ("speed", "1"),
}  # fmt: skip
_SPELLINGS = {
    '"': "in", "″": "in", "”": "in", "“": "in",
    "inch": "in", "inches": "in", "zoll": "in", "'": "ft", "feet": "ft",
    "kilogramm": "kg", "kilogram": "kg", "kilograms": "kg", "kilo": "kg", "kgs": "kg", "gramm": "g", "gram": "g",
    "grams": "g", "gr": "g", "lbs": "lb", "pound": "lb", "pounds": "lb", "ounce": "oz", "ounces": "oz",
    "millimeter": "mm", "millimetre": "mm", "millimeters": "mm", "millimetres": "mm", "centimeter": "cm",
    "centimetre": "cm", "centimeters": "cm", "zentimeter": "cm", "meter": "m", "metre": "m", "meters": "m",
    "liter": "l", "litre": "l", "liters": "l", "litres": "l", "volt": "v", "volts": "v", "watt": "w", "watts": "w",
    "vdc": "v", "ampere": "a", "amps": "a", "hours": "h", "hour": "h", "std": "h", "stunden": "h",
    "minutes": "min", "minute": "min", "minuten": "min", "sec": "s", "sek": "s", "seconds": "s", "sekunden": "s",
    "min-1": "rpm", "1/min": "rpm", "u/min": "rpm", "min⁻¹": "rpm", "/min": "rpm", "r/min": "rpm",
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+|[\u00a0\u202f]\d{3}(?!\d))*(?!\d)")
_UNIT = re.compile(
    r"[\s\u00a0\u202f]?(\"|[″”“']|1/min|[ur]/min|/min|min(?:-1|⁻¹)|[^\W\d_]{1,12}(?:/[^\W\d_]{1,4}[²³23]?)?|%|°\s?[cf]?)",
    re.IGNORECASE,
)
_CHAIN = re.compile(r"\s*(?:x|×|\*|/|-|–|—|bis|to|und|and|by)\s*$", re.IGNORECASE)
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")


@dataclass(frozen=True)
class Figure:
    """A number as a line writes it: every value it may mean, and its unit, folded."""

    readings: frozenset[Decimal]
    unit: str
    start: int
    end: int


def figures_in(text: str) -> Iterator[Figure]:
    """Numbers from left to right; one that leads a chain ("60 / 34 Nm") has the unit of the chain's end."""
    found = list(_NUMBER.finditer(text))
    units: list[str] = [""] * len(found)
    for i in range(len(found) - 1, -1, -1):
        here = found[i]
        between = text[here.end() : found[i + 1].start()] if i + 1 < len(found) else ""
        if between and _CHAIN.fullmatch(between):
            units[i] = units[i + 1]
        elif unit := _UNIT.match(text, here.end()):
            units[i] = fold_unit(unit.group(1))
    for here, unit_name in zip(found, units, strict=True):
        end = here.end()
        if (unit := _UNIT.match(text, end)) and _known(fold_unit(unit.group(1))):
            end = unit.end()
        yield Figure(_readings(here.group()), unit_name, here.start(), end)


def _known(unit: str) -> bool:
    return unit in _FACTORS or unit in ("%", "°", "°c", "°f")


def _readings(written: str) -> frozenset[Decimal]:
    """What "1.900" may mean: 1900 and 1.9. Only groups of three may be thousands."""
    plain = re.sub(r"[\u00a0\u202f]", "", written.lstrip("+"))
    readings = set()
    parts = re.split(r"[.,]", plain)
    if len(parts) > 1 and all(len(part) == 3 for part in parts[1:]):
        readings.add(Decimal("".join(parts)))
    if len(parts) == 2 or (len(parts) > 2 and len(set(re.findall(r"[.,]", plain))) == 2):
        readings.add(Decimal("".join(parts[:-1]) + "." + parts[-1]))
    if len(parts) == 1:
        readings.add(Decimal(plain))
    return frozenset(readings)


def same(number: Decimal, unit: str, figure: Figure) -> bool:
    if unit == figure.unit or not unit or not figure.unit:
        return any(_close(number, reading) for reading in figure.readings)
    if unit in _FACTORS and figure.unit in _FACTORS and same_kind(unit, figure.unit):
        wanted = number * Decimal(_FACTORS[unit][1])
        return any(_close(wanted, reading * Decimal(_FACTORS[figure.unit][1])) for reading in figure.readings)
    neither_known = unit not in _FACTORS and figure.unit not in _FACTORS
    return neither_known and any(_close(number, reading) for reading in figure.readings)


def same_kind(unit: str, other: str) -> bool:
    if unit in _FACTORS and other in _FACTORS:
        return _FACTORS[unit][0] == _FACTORS[other][0]
    return bool(unit) and unit == other


def _close(a: Decimal, b: Decimal) -> bool:
    """Equal up to rounding in the third digit, as converted values are."""
    return abs(a - b) <= abs(b) * Decimal("0.002")


def digits(number: Decimal) -> str:
    """The significant digits: 1940, 194 and 19.4 share theirs. One digit alone says too little."""
    digits = "".join(map(str, abs(number).as_tuple().digits)).strip("0")
    return digits if len(digits) > 1 else f"{number}"


def fold(text: str) -> str:
    """Case, width, dashes and spacing folded."""
    return " ".join(fold_with_offsets(text)[0].split())


def fold_unit(unit: str | None) -> str:
    """One spelling per unit: "Zoll", "inch" and the inch mark are "in"."""
    folded = fold(unit or "").replace(" ", "").rstrip(".")
    return _SPELLINGS.get(folded, folded)


def fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place in the original."""
    out: list[str] = []
    offsets: list[int] = []
    for place, char in enumerate(text):
        for piece in unicodedata.normalize("NFKC", char).translate(_DASHES).casefold():
            if piece.isspace():
                if out and out[-1] == " ":
                    continue
                piece = " "
            out.append(piece)
            offsets.append(place)
    return "".join(out), offsets
