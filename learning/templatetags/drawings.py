"""Strips, sparklines and bars, drawn on the server: HTML and SVG with classes, never with styles."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from learning.drawing import along, line, share
from learning.strips import Strip

register = template.Library()


@register.inclusion_tag("learning/_strip.html")
def strip(strip: Strip) -> dict[str, Any]:
    """Ten cells and the gauge below them. One tab stop; arrow keys move inside (js/strip.js)."""
    return {"strip": strip, "fill": along(strip.count), "mark": along(strip.threshold), "first": _first(strip)}


def _first(strip: Strip) -> int:
    """The cell that takes the focus: the newest run."""
    return max(0, strip.reviewed - 1)


@register.inclusion_tag("learning/_spark.html")
def spark(values: Sequence[float], label: str, width: int = 72, height: int = 24) -> dict[str, Any]:
    """A line without axes; its figure stands beside it as a number."""
    return {"line": line(values, width, height), "label": label, "width": width, "height": height}


@register.inclusion_tag("learning/_bar.html")
def bar(free: int, held: int, of: int, late: bool = False, width: int = 300) -> dict[str, Any]:
    """One bar in two parts, on a scale shared by its table."""
    first = share(free, of, width)
    return {
        "free": first,
        "held": share(held, of, width),
        "held_x": first + 2 if first else 0,
        "late": late,
        "width": width,
        "label": gettext("%(free)d free, %(held)d held") % {"free": free, "held": held},
    }


@register.filter
def ago(moment: datetime | None) -> str:
    """How long it is: "now", "12 min", "3 h", "5 d"."""
    if moment is None:
        return ""
    seconds = (timezone.now() - moment).total_seconds()
    if seconds < 60:
        return gettext("now")
    if seconds < 3600:
        return gettext("%d min") % (seconds // 60)
    if seconds < 86_400 * 2:
        return gettext("%d h") % (seconds // 3600)
    days = int(seconds // 86_400)
    return ngettext("%d d", "%d d", days) % days
