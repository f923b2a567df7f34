"""One time axis for the bars of a timeline: times in, per cent of its width out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)
MOST_TICKS = 6
LONGEST_GAP = 0.06  # of the working time: a longer one, in which nothing ran, is drawn as long as this,
SHORTEST_CUT = 0.2  # or so many seconds: below that nobody waited
NARROWEST = 0.6  # per cent: something is never drawn as nothing

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Bar:
    """Where it begins and how wide it is, in per cent."""

    start: float
    width: float


@dataclass(frozen=True)
class Scale:
    """Times from `origin` on, as seconds of which long gaps are cut; a cut is (from, to, drawn as), in seconds."""

    origin: datetime
    cuts: tuple[tuple[float, float, float], ...] = ()

    def seconds(self, at: datetime) -> float:
        """How far along a time is drawn."""
        elapsed = max(0.0, (at - self.origin).total_seconds())
        drawn = elapsed
        for begins, ends, short in self.cuts:
            if elapsed > begins:
                part = min(elapsed, ends) - begins
                drawn -= part - short * part / (ends - begins)
        return drawn


def scale(origin: datetime, busy: Iterable[Span], end: datetime) -> Scale:
    """`busy`: when something is known to have run; gaps between them, and after the last one, may be cut."""
    merged = _merged([(max(0.0, (a - origin).total_seconds()), (b - origin).total_seconds()) for a, b in busy])
    working = sum(end - begin for begin, end in merged)
    longest = max(LONGEST_GAP * working, SHORTEST_CUT)
    edges = [(0.0, 0.0), *merged, ((end - origin).total_seconds(),) * 2]
    gaps = [(before[1], after[0]) for before, after in pairwise(edges)]
    return Scale(origin, tuple((a, b, longest) for a, b in gaps if b - a > longest))


def _merged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for begin, end in sorted(span for span in spans if span[1] >= span[0]):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


@dataclass(frozen=True)
class Axis:
    """The width that all rows share: its length in drawn seconds, and where its lines stand."""

    length: float
    step: float

    @property
    def ticks(self) -> list[tuple[float, timedelta]]:
        """Per cent of the width, and the time that it stands for."""
        count = int(self.length / self.step + 1e-9)
        return [
            (round(100 * at * self.step / self.length, 3), timedelta(seconds=at * self.step))
            for at in range(count + 1)
        ]

    def bar(self, scale: Scale, began: datetime, ended: datetime) -> Bar:
        start, end = (100 * scale.seconds(at) / self.length for at in (began, ended))
        width = max(NARROWEST, end - start)
        return Bar(round(min(start, 100 - width), 3), round(min(width, 100), 3))


def axis(seconds: float, *, grows: bool) -> Axis:
    """As long as needed; where something still runs, up to the next line but one: its bar needs room to grow."""
    step = next((step for step in STEPS if seconds / step <= MOST_TICKS), STEPS[-1])
    if grows:
        seconds = (int(seconds / step) + 2) * step
    return Axis(max(seconds, step / 2), step)
