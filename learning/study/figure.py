"""The frontier as an SVG of its own, light and dark: what being sure costs, against how soon it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10

from learning.study.scenarios import Point

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 400, 300, 52, 40, 16, 44
SLOWEST = 42  # reviews, at the right edge
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #4a4743; }
.title { font-weight: 600; fill: #23211f; }
.rule { stroke: #dcd8d2; } .goal { stroke: #1f6f4a; stroke-dasharray: 4 3; }
.line { fill: none; stroke: #2457a8; stroke-width: 2; }
.dot { fill: #2457a8; } .chosen { fill: #b45309; } .window { fill: #6b6560; }
@media (prefers-color-scheme: dark) {
  text { fill: #bdb7ae; } .title { fill: #eeeae4; }
  .rule { stroke: #3a3733; } .goal { stroke: #5fbf8f; }
  .line { stroke: #8ab4f8; } .dot { fill: #8ab4f8; } .chosen { fill: #f0a84b; } .window { fill: #a39c92; }
}
"""


@dataclass(frozen=True)
class Panel:
    """y: where a point's figure stands, 0 at the foot and 1 at the head. marks: figures that get a rule."""

    title: str
    of: Callable[[Point], float]
    y: Callable[[float], float]
    marks: Sequence[tuple[float, str]]
    goal: float


def _log(share: float) -> float:
    """From 0.1 % to 100 %."""
    return (log10(max(share, 0.001)) + 3) / 3


PANELS = (
    Panel(
        "Needlessly on, at a true 10 %",
        lambda point: point.needless,
        _log,
        [(0.001, "0.1 %"), (0.01, "1 %"), (0.1, "10 %"), (1.0, "100 %")],
        0.02,
    ),
    Panel(
        "Share of the oracle's uplift, at 40 %",
        lambda point: point.uplift,
        lambda share: (share - 0.4) / 0.6,
        [(0.4, "40 %"), (0.6, "60 %"), (0.8, "80 %"), (1.0, "100 %")],
        0.95,
    ),
)


def svg(points: Sequence[Point], chosen: str) -> str:
    """points: `steady` by its upper bound, and `window` last. chosen: the label of the one that is shipped."""
    panels = "".join(_panel(panel, points, chosen, number * (WIDTH + 20)) for number, panel in enumerate(PANELS))
    says = "; ".join(
        f"{one.label}: {one.delay:.0f} reviews, needless {one.needless:.1%}, uplift {one.uplift:.0%}"
        for one in points
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 20} {HEIGHT}" role="img">'
        f"<title>The frontier of steady, by its upper bound</title><desc>{says}</desc><style>{STYLE}</style>"
        f"{panels}</svg>\n"
    )


def _panel(panel: Panel, points: Sequence[Point], chosen: str, at: int) -> str:
    def x(point: Point) -> float:
        return round(LEFT + min(point.delay, SLOWEST) / SLOWEST * (WIDTH - LEFT - RIGHT), 1)

    def y(figure: float) -> float:
        return round(HEIGHT - BOTTOM - max(0.0, panel.y(figure)) * (HEIGHT - TOP - BOTTOM), 1)

    right, foot = WIDTH - RIGHT, HEIGHT - BOTTOM
    drawn = [f'<text class="title" x="{LEFT}" y="18">{panel.title}</text>']
    for figure, name in panel.marks:
        drawn.append(f'<line class="rule" x1="{LEFT}" x2="{right}" y1="{y(figure)}" y2="{y(figure)}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{y(figure) + 4}" text-anchor="end">{name}</text>')
    for reviews in range(0, SLOWEST + 1, 10):
        across = round(LEFT + reviews / SLOWEST * (right - LEFT), 1)
        drawn.append(f'<text x="{across}" y="{foot + 18}" text-anchor="middle">{reviews}</text>')
    drawn.append(
        f'<text x="{(LEFT + right) / 2}" y="{foot + 36}" text-anchor="middle">reviews from the jump to on</text>'
    )
    soonest = round(LEFT + 22 / SLOWEST * (right - LEFT), 1)
    drawn.append(f'<line class="goal" x1="{soonest}" x2="{soonest}" y1="{TOP}" y2="{foot}"/>')
    drawn.append(f'<line class="goal" x1="{LEFT}" x2="{right}" y1="{y(panel.goal)}" y2="{y(panel.goal)}"/>')
    *steady, window = points
    line = " ".join(f"{x(one)},{y(panel.of(one))}" for one in steady)
    drawn.append(f'<polyline class="line" points="{line}"/>')
    for one in steady:
        kind, radius = ("chosen", 5.5) if one.label == chosen else ("dot", 3.5)
        drawn.append(f'<circle class="{kind}" cx="{x(one)}" cy="{y(panel.of(one))}" r="{radius}"/>')
        below = 22 if one.label == chosen else -9  # its neighbours are near
        drawn.append(f'<text x="{x(one)}" y="{y(panel.of(one)) + below}" text-anchor="middle">{one.label}</text>')
    drawn.append(f'<rect class="window" x="{x(window) - 4}" y="{y(panel.of(window)) - 4}" width="8" height="8"/>')
    drawn.append(f'<text x="{x(window) + 8}" y="{y(panel.of(window)) + 4}">window</text>')
    return f'<g transform="translate({at} 0)">{"".join(drawn)}</g>'
