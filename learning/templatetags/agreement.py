"""How sure an agreement is, drawn on the server: a dot on the line of what it may be."""

from typing import Any

from django import template
from django.utils.translation import gettext

from learning.agreement.page import LOWEST, RELIABLE, TENTATIVE, Line

register = template.Library()
WIDTH, HEIGHT, MARGIN = 248, 24, 6


def _x(value: float, lowest: float) -> float:
    part = (max(value, lowest) - lowest) / (1 - lowest)
    return round(MARGIN + (WIDTH - 2 * MARGIN) * part, 1)


@register.inclusion_tag("learning/_alpha.html")
def alpha_drawn(line: Line, lowest: float = LOWEST) -> dict[str, Any]:
    """lowest: where the scale begins; what is below is drawn at its edge."""
    found = line.alpha
    known = found.low is not None and found.high is not None
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "middle": HEIGHT / 2,
        "left": MARGIN,
        "right": WIDTH - MARGIN,
        "marks": [_x(mark, lowest) for mark in (0, TENTATIVE, RELIABLE)],
        "at": None if found.value is None else _x(found.value, lowest),
        "low": _x(found.low, lowest) if known and found.low is not None else None,
        "high": _x(found.high, lowest) if known and found.high is not None else None,
        "code": line.code,
        "label": _label(line),
    }


def _label(line: Line) -> str:
    found = line.alpha
    if found.value is None:
        return gettext("%(what)s: no alpha") % {"what": line.label}
    words = {"what": line.label, "alpha": f"{found.value:.2f}"}
    if found.low is None or found.high is None:
        return gettext("%(what)s: alpha %(alpha)s") % words
    words |= {"low": f"{found.low:.2f}", "high": f"{found.high:.2f}"}
    return gettext("%(what)s: alpha %(alpha)s, %(low)s to %(high)s at 95 %% confidence") % words


@register.inclusion_tag("learning/_alpha_scale.html")
def alpha_scale(lowest: float = LOWEST) -> dict[str, Any]:
    """The numbers above the lines, once for all of them."""
    marks = [(0.0, "0"), (TENTATIVE, "0.67"), (RELIABLE, "0.8"), (1.0, "1")]
    return {"width": WIDTH, "marks": [{"x": _x(mark, lowest), "text": text} for mark, text in marks]}


@register.filter
def per_cent(share: float | None) -> str:
    """A share of 1 in whole per cent; "–" where there is none."""
    return "–" if share is None else gettext("%d %%") % round(100 * share)
