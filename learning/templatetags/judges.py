"""Kappa and the trade-off of thresholds, drawn on the server: SVG with classes, never with styles."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.translation import gettext

from learning.judging.threshold import At, Tradeoff
from learning.statistics.kappa import Kappa

register = template.Library()
WIDTH, MARGIN, LOWEST = 132, 5, -0.5  # of a kappa; what lies lower is drawn at the edge
LEFT, RIGHT, TOP, BOTTOM = 40, 632, 22, 150  # of the trade-off
MIDDLE, TALLEST = 196, 30  # good ones stand on it, bad ones hang from it


@register.inclusion_tag("learning/_kappa.html")
def kappa(found: Kappa) -> dict[str, Any]:
    """A dot on the band of what it may be, beside the line of agreement by chance alone."""

    def x(value: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (max(LOWEST, value) - LOWEST) / (1 - LOWEST), 1)

    words = gettext("kappa %(value).2f, from %(low).2f to %(high).2f at 95 %% confidence")
    return {
        "width": WIDTH,
        "left": MARGIN,
        "right": WIDTH - MARGIN,
        "zero": x(0),
        "low": x(found.low),
        "band": round(max(1, x(found.high) - x(found.low)), 1),
        "at": x(found.value),
        "label": words % {"value": found.value, "low": found.low, "high": found.high},
    }


@register.filter
def hundredths(value: int) -> str:
    """A threshold as people write it: "0.70"."""
    return f"{value / 100:.2f}"


@register.inclusion_tag("learning/_tradeoff.html")
def tradeoff(found: Tradeoff) -> dict[str, Any]:
    """What passes and what is held back at each threshold, above how the means lie."""
    now, suggested = found.now, found.suggested
    tallest = max(*found.scores.good, *found.scores.bad, 1)
    return {
        "left": LEFT,
        "right": RIGHT,
        "bottom": BOTTOM,
        "top": TOP,
        "middle": MIDDLE,
        "rules": [{"share": share, "y": _y(share), "text_y": _y(share) + 4} for share in (100, 50, 0)],
        "ticks": [{"x": _x(at), "says": hundredths(at)} for at in range(0, 101, 20)],
        "passed": _points(found.all, [at.share_passed for at in found.all]),
        "held": _points(found.all, [at.share_held for at in found.all]),
        "good": _bars(found.scores.good, tallest, up=True),
        "bad": _bars(found.scores.bad, tallest, up=False),
        "now": {"x": _x(now.threshold), "at": now.threshold},
        "suggested": None
        if suggested is None or suggested == now
        else {"x": _x(suggested.threshold), "at": suggested.threshold},
        "now_anchor": "start" if suggested and suggested.threshold < now.threshold else "end",
        "suggested_anchor": "end" if suggested and suggested.threshold < now.threshold else "start",
        "label": gettext("What each threshold would have let pass and held back"),
        "says": _says(found),
        "is_one": found.is_one,
    }


def _says(found: Tradeoff) -> str:
    words = (
        gettext("At %(at)s, in force: %(passed)d of %(bad)d bad ones pass, %(held)d of %(good)d good ones do not.")
        if found.is_one
        else gettext(
            "At the default, %(at)s: %(passed)d of %(bad)d bad ones pass, %(held)d of %(good)d good ones do not."
        )
    )
    now = found.now
    given = {"passed": now.passed_bad, "bad": now.bad, "held": now.held_good, "good": now.good}
    return words % (given | {"at": hundredths(now.threshold)})


def _x(at: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * at / 100, 1)


def _y(share: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share / 100, 1)


def _points(all: Sequence[At], shares: Sequence[float]) -> str:
    return " ".join(f"{_x(at.threshold)},{_y(share)}" for at, share in zip(all, shares, strict=True))


def _bars(counts: Sequence[int], tallest: int, *, up: bool) -> str:
    """One path of a stroke per mean."""
    tall = [(at, max(2.0, round(TALLEST * count / tallest, 1))) for at, count in enumerate(counts) if count]
    return "".join(f"M{_x(at)} {MIDDLE}v{-height if up else height}" for at, height in tall)
