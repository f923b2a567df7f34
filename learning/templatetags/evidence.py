"""Two shares beside each other, and their difference around zero, drawn on the server."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from learning.statistics.proportions import Rate
from learning.uplift.comparing import Comparison, Counted

register = template.Library()
WIDTH, MARGIN = 180, 4
MINUS = "\N{MINUS SIGN}"


@register.filter
def minus(number: str) -> str:
    """A formatted number with the sign that stands as wide and as high as a plus."""
    return number.replace("-", MINUS)


@register.inclusion_tag("learning/_pair.html")
def pair(compared: Comparison) -> dict[str, Any]:
    """A bar for runs with guidance above one for the holdout's, each with what its share may be."""
    bars = [_bar(compared.guided.rate, 1), _bar(compared.control.rate, 15)]
    label = _("with guidance %(guided)s; without %(control)s") % {
        "guided": _said(compared.guided),
        "control": _said(compared.control),
    }
    return {"bars": bars, "width": WIDTH, "label": label}


def _bar(rate: Rate, y: int) -> dict[str, Any]:
    def x(percent: float) -> float:
        return round(WIDTH * percent / 100, 1)

    return {
        "is_known": rate.percent is not None,
        "y": y,
        "middle": y + 5,
        "width": x(rate.percent or 0),
        "low": x(rate.low),
        "high": x(rate.high),
    }


@register.inclusion_tag("learning/_whisker.html")
def whisker(compared: Comparison) -> dict[str, Any]:
    """The difference as a dot, with all that it may be; on a scale from -100 to 100 points."""

    def x(points: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (points + 100) / 200, 1)

    low, high = compared.bounds
    return {
        "verdict": compared.verdict,
        "width": WIDTH,
        "zero": x(0),
        "ends": (x(-100), x(100)),
        "low": x(low),
        "high": x(high),
        "at": None if compared.difference is None else x(compared.difference),
        "label": points(compared),
    }


@register.filter
def points(compared: Comparison) -> str:
    """The difference and its bounds, in words."""
    if compared.difference is None:
        return _("nothing to compare yet")
    low, high = compared.bounds
    values = {"points": round(compared.difference), "low": round(low), "high": round(high)}
    return (_("%(points)+d points; %(low)+d to %(high)+d") % values).replace("-", MINUS)


@register.filter
def said(counted: Counted) -> str:
    return _said(counted)


def _said(counted: Counted) -> str:
    if counted.percent is None:
        return _("none yet")
    return _("%(percent)d %%, %(count)d of %(of)d") % {
        "percent": round(counted.percent),
        "count": counted.count,
        "of": counted.of,
    }
