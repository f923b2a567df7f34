"""Strips, sparklines and bars, drawn on the server: HTML and SVG with classes, never with styles."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django import template
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from generation.ids import short
from learning.acceptance import Point
from learning.drawing import along, line, share
from learning.policies.evidence import BOUNDS
from learning.strips import Strip
from learning.window import SIZE

register = template.Library()


@register.inclusion_tag("learning/_strip.html")
def strip(strip: Strip) -> dict[str, Any]:
    """Ten cells and the gauge below them. One tab stop; arrow keys move inside (js/strip.js)."""
    fill, mark = along(strip.count), along(strip.threshold)
    if strip.weighed is not None:
        whole, enough = along(SIZE), BOUNDS.enter
        fill = round(whole * strip.weighed.level / enough, 1)
        mark = min(whole - 2, round(whole * strip.weighed.bound / enough, 1))
    return {"strip": strip, "fill": fill, "mark": mark, "first": _first(strip)}


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
    if seconds < 86_400:
        return gettext("%d h") % (seconds // 3600)
    days = int(seconds // 86_400)
    return ngettext("%d d", "%d d", days) % days


@register.inclusion_tag("learning/_budget.html")
def budget(used: int, of: int, width: int = 120) -> dict[str, Any]:
    """How much of the room for injected text is taken."""
    label = gettext("%(used)d of %(of)d characters") % {"used": used, "of": of}
    return {"used": share(min(used, of), of, width), "width": width, "label": label}


@register.filter
def short_id(run_id: UUID) -> str:
    """A run as people call it."""
    return short(run_id)


@register.inclusion_tag("learning/_chart.html")
def acceptance(series: Sequence[Point]) -> dict[str, Any]:
    """The share accepted, ten runs at a time, over the first reviews themselves: filled dots were accepted."""
    left, width, height, top, bottom, dots_y = 36, 480, 132, 8, 92, 108
    step = (width - left - 8) / max(1, len(series) - 1)

    def x(index: int) -> float:
        return round(left + 4 + index * step, 1) if len(series) > 1 else width / 2

    def y(share: float) -> float:
        return round(bottom - (bottom - top) * share / 100, 1)

    last = series[-1]
    whole = [(index, point) for index, point in enumerate(series) if point.over == last.over]
    return {
        "width": width,
        "height": height,
        "left": left,
        "rules": [{"share": share, "y": y(share), "text_y": y(share) + 4} for share in (100, 50, 0)],
        "points": " ".join(f"{x(index)},{y(point.share)}" for index, point in whole),
        "dots": [
            {"x": x(index), "accepted": point.accepted, "says": _first_review(point)}
            for index, point in enumerate(series)
        ],
        "dots_y": dots_y,
        "end_x": x(len(series) - 1),
        "end_y": y(last.share),
        "first": ago(series[0].at),
        "last": ago(last.at),
        "label": gettext("First-pass acceptance of the last %d runs") % len(series),
        "says": gettext("It ends at %(share)d %% of the last %(over)d runs.")
        % {"share": round(last.share), "over": last.over},
    }


def _first_review(point: Point) -> str:
    said = gettext("accepted") if point.accepted else gettext("not accepted")
    return f"{short(point.run_id)}: {said}"
