"""Shares with their intervals, and pairs of bars, drawn on the server."""

from typing import Any

from django import template
from django.utils.translation import gettext

from learning.statistics.proportions import Rate

register = template.Library()
WIDTH, MARGIN = 168, 4


@register.inclusion_tag("admin/studio/_interval.html")
def interval(rate: Rate, tone: str = "") -> dict[str, Any]:
    """A share as a dot on the band of what it may be; tone: then or now."""

    def x(percent: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * percent / 100, 1)

    low, high = x(rate.low), x(rate.high)
    return {
        "rate": rate,
        "tone": tone,
        "width": WIDTH,
        "left": MARGIN,
        "right": WIDTH - MARGIN,
        "low": low,
        "band": round(max(1, high - low), 1),
        "at": None if rate.percent is None else x(rate.percent),
        "label": _label(rate),
    }


def _label(rate: Rate) -> str:
    if rate.percent is None:
        return gettext("nothing counted yet")
    values = {"count": rate.count, "of": rate.of, "low": round(rate.low), "high": round(rate.high)}
    return gettext("%(count)d of %(of)d; %(low)d to %(high)d %% at 95 %% confidence") % values
