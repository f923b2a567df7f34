"""Which line of the source supports a value of the record: a help for the eye, never a verdict.

Text is compared with case, spacing, dashes and width folded; numbers by value, in any of their
usual spellings ("1.900", "1,900", "4,0") and with units of the same kind converted.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from review.figures import Figure, digits, figures_in, fold, fold_unit, fold_with_offsets, same, same_kind

_WORD = re.compile(r"[^\W_]{4,}")
LONGEST_VALUE = 10_000  # characters; a longer one, such as a diff, stands in no source
LONGEST_RUN = 12  # words of a value that are looked for as they stand
FEW_WORDS = 3  # a name of so few words is another one where any of them is missing


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
    unit: str = ""  # of a figure that differs, also where it stands further on ("23,1 x 18,0 cm")

    @property
    def line(self) -> int:
        return self.spans[0].line


class Line:
    """One line of the source, folded once."""

    def __init__(self, number: int, text: str, *, title: bool = False) -> None:
        self.number, self.text, self.title = number, text, title

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return fold_with_offsets(self.text)

    @cached_property
    def figures(self) -> list[Figure]:
        return list(figures_in(self.text))

    @cached_property
    def words(self) -> dict[str, tuple[int, int]]:
        folded, offsets = self._folded
        return {m.group(): (offsets[m.start()], offsets[m.end() - 1] + 1) for m in _WORD.finditer(folded)}

    def find(self, folded_value: str) -> Span | None:
        """Where the folded value stands as whole words."""
        folded, offsets = self._folded
        if folded_value not in folded:  # most lines: the expression would cost ten times as much
            return None
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
        yield from lines if key in ("text", "material", "summary") else [f"{key}: {line}" for line in lines]
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
    if isinstance(value, bool) or value is None or (isinstance(value, str) and len(value) > LONGEST_VALUE):
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
            if not same(number, unit, figure):
                continue
            rank = 2 * (figure.unit == unit or same_kind(unit, figure.unit)) + _named(line, figure, names)
            if best is None or rank > best[0]:
                best = rank, Span(line.number, figure.start, figure.end)
    return Match((best[1],)) if best else None


def _named(line: Line, figure: Figure, names: tuple[str, ...], *, whole: bool = False) -> bool:
    """Whether one of the names stands before the figure, in the same clause; `whole`: as a word of its own."""
    clause = fold(re.split(r"[,;](?!\d)", line.text[: figure.start])[-1])
    if whole:
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", clause) for name in names)
    return any(name in clause for name in names)


def _match_other(number: Decimal, unit: str, lines: list[Line], label: str) -> Match | None:
    """The likeliest figure of the same kind in this one's place: named alike, or off by a power of ten.

    A name that is but part of a word ("Druckbreite" for a width) says least.
    """
    names = _names(label)
    best: tuple[int, Match] | None = None
    for line in lines:
        for figure in line.figures:
            if not same_kind(unit, figure.unit):
                continue
            shifted = any(digits(number) == digits(reading) for reading in figure.readings)
            rank = 2 * shifted + 2 * _named(line, figure, names, whole=True) + _named(line, figure, names)
            if rank and (best is None or rank > best[0]):
                span = Span(line.number, figure.start, figure.end)
                best = rank, Match((span,), differs=True, unit=figure.unit)
    return best[1] if best else None


def _match_text(value: str, unit: str | None, lines: list[Line]) -> Match | None:
    folded = fold(value)
    if not folded:
        return None
    for line in lines:
        if span := line.find(folded):
            return Match((span,))
    figures = list(figures_in(f"{value} {unit or ''}".strip()))
    if run := _match_run(folded, figures, lines):
        return run
    if figures:
        for line in lines:
            spans = [_span_of(figure, line) for figure in figures]
            if all(spans):
                return Match(tuple(span for span in spans if span))
        return None
    return _match_words(folded, lines)


def _span_of(wanted: Figure, line: Line) -> Span | None:
    for figure in line.figures:
        if any(same(reading, wanted.unit, figure) for reading in wanted.readings):
            return Span(line.number, figure.start, figure.end)
    return None


def _match_run(folded: str, figures: list[Figure], lines: list[Line]) -> Match | None:
    """The longest run of words that a line has as they stand: most of them, or three and more.

    Every figure of the value must stand in that line too; of a long text, somewhere in the source.
    """
    words = folded.split()
    if len(words) > LONGEST_RUN:
        if not all(any(_span_of(figure, line) for line in lines) for figure in figures):
            return None
        words = words[:LONGEST_RUN]
    else:
        lines = [line for line in lines if all(_span_of(figure, line) for figure in figures)]
    for length in range(len(words) - 1, max(2, min(3, len(words) // 2)) - 1, -1):
        for start in range(len(words) - length + 1):
            wanted = " ".join(words[start : start + length])
            if any(char.isalpha() for char in wanted):
                for line in lines:
                    if span := line.find(wanted):
                        return Match((span,))
    return None


def _match_words(folded: str, lines: list[Line]) -> Match | None:
    """A text put in other words: the line that holds half of its longer words, and all where they are few."""
    words = set(_WORD.findall(folded))
    if not words:
        return None
    best = max(lines, key=lambda line: len(words & line.words.keys()), default=None)
    wanted = len(words) if len(words) <= FEW_WORDS else len(words) / 2
    if best is None or len(words & best.words.keys()) < wanted:
        return None
    spans = sorted(best.words[word] for word in words & best.words.keys())
    return Match(tuple(Span(best.number, start, end) for start, end in spans))


_DIMENSION_NAMES = {
    "length": ("length", "länge", "lang"), "width": ("width", "breite", "breit"), "weight": ("weight", "gewicht"),
    "height": ("height", "höhe", "hoch"), "depth": ("depth", "tiefe", "tief"),
    "diameter": ("diameter", "durchmesser", "ø"),
}  # fmt: skip


def _names(label: str) -> tuple[str, ...]:
    folded = fold(label)
    return _DIMENSION_NAMES.get(folded, (folded,) if len(folded) > 3 else ())
