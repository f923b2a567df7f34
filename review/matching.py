"""Which line of the source supports a value of the record: a help for the eye, never a verdict.

Text is compared with case, spacing, dashes and width folded; numbers by value, in any of their
usual spellings ("1.900", "1,900", "4,0") and with units of the same kind converted.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

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
_WORD = re.compile(r"[^\W_]{4,}")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")


LONGEST_RUN = 24  # words of a value that are looked for as they stand


@dataclass(frozen=True)
class Span:
    """A piece of one line, by offsets into its text."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Match:
    """What a line has for a value: the value itself, or (`differs`) another one in its place."""

    spans: tuple[Span, ...]
    differs: bool = False

    @property
    def line(self) -> int:
        return self.spans[0].line

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(span.line for span in self.spans))


@dataclass(frozen=True)
class Figure:
    """A number as a line writes it: every value it may mean, and its unit, folded."""

    readings: frozenset[Decimal]
    unit: str
    start: int
    end: int


class Line:
    """One line of the source, folded once."""

    def __init__(self, number: int, text: str, *, title: bool = False) -> None:
        self.number, self.text, self.title = number, text, title

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _fold_with_offsets(self.text)

    @cached_property
    def figures(self) -> list[Figure]:
        return list(_figures(self.text))

    @cached_property
    def words(self) -> dict[str, tuple[int, int]]:
        folded, offsets = self._folded
        return {m.group(): (offsets[m.start()], offsets[m.end() - 1] + 1) for m in _WORD.finditer(folded)}

    def find(self, folded_value: str) -> Span | None:
        """Where the folded value stands as whole words."""
        folded, offsets = self._folded
        for found in re.finditer(rf"(?<!\w){re.escape(folded_value)}(?!\w)", folded):
            return Span(self.number, offsets[found.start()], offsets[found.end() - 1] + 1)
        return None


def source_lines(source: Mapping[str, Any]) -> list[Line]:
    """The source as a reviewer reads it: the title first, then each line of text, then the rest by name."""
    rows: list[tuple[str, bool]] = []
    for key in ("title", "keyword", "topic"):
        if isinstance(value := source.get(key), str) and value.strip():
            rows.append((value.strip(), True))
    for key, value in source.items():
        if key not in ("title", "keyword", "topic"):
            rows.extend((text, False) for text in _texts(key, value))
    return [Line(number, text, title=title) for number, (text, title) in enumerate(rows, 1)]


def _texts(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        lines = [line.strip() for line in value.splitlines() if line.strip()]
        yield from lines if key in ("text", "material") else [f"{key}: {line}" for line in lines]
    elif isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _texts(str(inner), item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts(key, item)
    elif value is not None:
        yield f"{key}: {value}"


def match(value: Any, unit: str | None, lines: Iterable[Line], *, label: str = "") -> Match | None:
    """The first line that supports the value; one that has another figure in its place; or nothing."""
    lines = list(lines)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | Decimal):
        number, folded = Decimal(str(value)), fold_unit(unit)
        return _match_number(number, folded, lines, label) or _match_other(number, folded, lines, label)
    return _match_text(str(value), unit, lines)


def _match_number(number: Decimal, unit: str, lines: list[Line], label: str) -> Match | None:
    """The best of the figures with this value: one with the unit said, then one named as the field is."""
    names = _names(label)
    best: tuple[int, Span] | None = None
    for line in lines:
        for figure in line.figures:
            if not _same(number, unit, figure):
                continue
            rank = 2 * (figure.unit == unit or _same_kind(unit, figure.unit)) + _named(line, figure, names)
            if best is None or rank > best[0]:
                best = rank, Span(line.number, figure.start, figure.end)
    return Match((best[1],)) if best else None


def _named(line: Line, figure: Figure, names: tuple[str, ...]) -> bool:
    """Whether one of the names stands before the figure, in the same clause."""
    clause = fold(re.split(r"[,;](?!\d)", line.text[: figure.start])[-1])
    return any(name in clause for name in names)


def _match_other(number: Decimal, unit: str, lines: list[Line], label: str) -> Match | None:
    """A figure of the same kind that stands where this one should: named alike, or off by a power of ten."""
    names = _names(label)
    for line in lines:
        for figure in line.figures:
            if not _same_kind(unit, figure.unit):
                continue
            if _named(line, figure, names) or any(
                _digits(number) == _digits(reading) for reading in figure.readings
            ):
                return Match((Span(line.number, figure.start, figure.end),), differs=True)
    return None


def _match_text(value: str, unit: str | None, lines: list[Line]) -> Match | None:
    folded = fold(value)
    if not folded:
        return None
    for line in lines:
        if span := line.find(folded):
            return Match((span,))
    if run := _match_run(folded, lines):
        return run
    if numbers := list(_figures(f"{value} {unit or ''}".strip())):
        for line in lines:
            spans = [_span_of(figure, line) for figure in numbers]
            if all(spans):
                return Match(tuple(span for span in spans if span))
        return None
    return _match_words(folded, lines)


def _span_of(wanted: Figure, line: Line) -> Span | None:
    for figure in line.figures:
        if any(_same(reading, wanted.unit, figure) for reading in wanted.readings):
            return Span(line.number, figure.start, figure.end)
    return None


def _match_run(folded: str, lines: list[Line]) -> Match | None:
    """The longest run of words that a line has as they stand: most of them, or three and more."""
    words = folded.split()[:LONGEST_RUN]
    for length in range(len(words) - 1, max(2, min(3, len(words) // 2)) - 1, -1):
        for start in range(len(words) - length + 1):
            wanted = " ".join(words[start : start + length])
            if any(char.isalpha() for char in wanted):
                for line in lines:
                    if span := line.find(wanted):
                        return Match((span,))
    return None


def _match_words(folded: str, lines: list[Line]) -> Match | None:
    """A text put in other words: the lines that hold half of its longer words between them."""
    words = set(_WORD.findall(folded))
    if not words:
        return None
    best = max(lines, key=lambda line: len(words & line.words.keys()), default=None)
    if best is None or 2 * len(words & best.words.keys()) < len(words):
        return None
    spans = sorted(best.words[word] for word in words & best.words.keys())
    return Match(tuple(Span(best.number, start, end) for start, end in spans))


def fold(text: str) -> str:
    """Case, width, dashes and spacing folded."""
    return " ".join(_fold_with_offsets(text)[0].split())


def fold_unit(unit: str | None) -> str:
    """One spelling per unit: "Zoll", "inch" and the inch mark are "in"."""
    folded = fold(unit or "").replace(" ", "").rstrip(".")
    return _SPELLINGS.get(folded, folded)


def _fold_with_offsets(text: str) -> tuple[str, list[int]]:
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


def _figures(text: str) -> Iterator[Figure]:
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


def _same(number: Decimal, unit: str, figure: Figure) -> bool:
    if unit == figure.unit or not unit or not figure.unit:
        return any(_close(number, reading) for reading in figure.readings)
    if unit in _FACTORS and figure.unit in _FACTORS and _same_kind(unit, figure.unit):
        wanted = number * Decimal(_FACTORS[unit][1])
        return any(_close(wanted, reading * Decimal(_FACTORS[figure.unit][1])) for reading in figure.readings)
    neither_known = unit not in _FACTORS and figure.unit not in _FACTORS
    return neither_known and any(_close(number, reading) for reading in figure.readings)


def _same_kind(unit: str, other: str) -> bool:
    if unit in _FACTORS and other in _FACTORS:
        return _FACTORS[unit][0] == _FACTORS[other][0]
    return bool(unit) and unit == other


def _close(a: Decimal, b: Decimal) -> bool:
    """Equal up to rounding in the third digit, as converted values are."""
    return abs(a - b) <= abs(b) * Decimal("0.002")


def _digits(number: Decimal) -> str:
    """The significant digits: 1940, 194 and 19.4 share theirs. One digit alone says too little."""
    digits = "".join(map(str, abs(number).as_tuple().digits)).strip("0")
    return digits if len(digits) > 1 else f"{number}"


_DIMENSION_NAMES = {
    "length": ("length", "länge", "lang"), "width": ("width", "breite", "breit"), "weight": ("weight", "gewicht"),
    "height": ("height", "höhe", "hoch"), "depth": ("depth", "tiefe", "tief"),
    "diameter": ("diameter", "durchmesser", "ø"),
}  # fmt: skip


def _names(label: str) -> tuple[str, ...]:
    folded = fold(label)
    return _DIMENSION_NAMES.get(folded, (folded,) if len(folded) > 3 else ())
