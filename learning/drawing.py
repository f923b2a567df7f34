"""Points for server-drawn charts: numbers in, SVG coordinates out."""

from collections.abc import Sequence
from dataclasses import dataclass

CELL, GAP = 10, 2  # the strip's own measures, which its gauge follows


@dataclass(frozen=True)
class Line:
    """A polyline's points, and its last one by itself."""

    points: str
    end_x: float
    end_y: float


def line(values: Sequence[float], width: float, height: float, *, margin: float = 3) -> Line | None:
    """Values over their whole width, from the lowest to the highest; a flat line runs through the middle.

    None where there is nothing to draw. The margin keeps the last point's dot inside.
    """
    if not values:
        return None
    bottom = min(values)
    span = max(values) - bottom
    step = (width - 2 * margin) / max(1, len(values) - 1)

    def y(value: float) -> float:
        part = (value - bottom) / span if span else 0.5
        return round(height - margin - part * (height - 2 * margin), 1)

    placed = [(round(margin + index * step, 1), y(value)) for index, value in enumerate(values)]
    if len(placed) == 1:
        placed = [(margin, placed[0][1]), (width - margin, placed[0][1])]
    return Line(" ".join(f"{x},{y}" for x, y in placed), *placed[-1])


def along(count: int) -> float:
    """Where the gauge ends under so many cells."""
    return max(0, count * (CELL + GAP) - GAP)


def share(value: float, of: float, width: int) -> float:
    """A bar's length; something is never drawn as nothing."""
    if not value or not of:
        return 0
    return max(2, round(width * value / of, 1))
