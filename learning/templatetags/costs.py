"""What records cost, drawn on the server: a bar of its stages, and a line over weeks."""

from itertools import pairwise
from typing import Any

from django import template
from django.utils.translation import gettext

from learning.costs.measures import Measure
from learning.costs.page import Page, Part
from learning.costs.stages import Per
from learning.costs.weeks import Week

register = template.Library()
BAR, BAR_HEIGHT, GAP = 1200, 28, 2
SHADES = 5  # classes part--1 …; a sixth stage begins anew
LEFT, WIDTH, HEIGHT, TOP, BOTTOM = 80, 640, 160, 12, 128


@register.inclusion_tag("learning/_cost_bar.html")
def cost_bar(page: Page) -> dict[str, Any]:
    """The stages of an accepted record, one after the other, as wide as their shares."""
    parts, x = [], 0.0
    for number, part in enumerate(page.parts):
        width = BAR * part.share / 100
        parts.append({
            "part": part, "x": round(x, 1), "width": round(max(1, width - GAP), 1), "shade": number % SHADES + 1,
            "says": _says(part),
        })  # fmt: skip
        x += width
    label = gettext("What an accepted record costs, by stage") + ": " + ", ".join(map(_says, page.parts))
    return {"parts": parts, "width": BAR, "height": BAR_HEIGHT, "label": label}


def _says(part: Part) -> str:
    words = {"stage": part.label, "cost": part.words, "share": round(part.share)}
    return gettext("%(stage)s %(cost)s (%(share)d %%)") % words


@register.inclusion_tag("learning/_cost_weeks.html")
def cost_weeks(page: Page) -> dict[str, Any]:
    """From nothing up, so that heights compare; weeks in which none was accepted break the line."""
    values = [week.per(page.measure) for week in page.weeks]
    top = max((value for value in values if value is not None), default=0) or 1
    step = (WIDTH - LEFT - 24) / max(1, len(values) - 1)
    dots = [
        {"x": round(LEFT + 12 + number * step, 1), "y": _y(value, top), "week": week, "says": _week(page, week)}
        for number, (week, value) in enumerate(zip(page.weeks, values, strict=True))
    ]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "bottom": BOTTOM,
        "labels_y": HEIGHT - 6,
        "rules": [
            {"y": y, "text_y": y + 4, "text": page.measure.words(part * top)}
            for part, y in ((1, TOP), (0.5, (TOP + BOTTOM) / 2), (0, BOTTOM))
        ],
        "dots": dots,
        "lines": [
            f"{one['x']},{one['y']} {other['x']},{other['y']}"
            for one, other in pairwise(dots)
            if one["y"] is not None and other["y"] is not None
        ],
        "label": gettext("What an accepted record cost, the last %d weeks") % len(values),
    }


def _y(value: float | None, top: float) -> float | None:
    return None if value is None else round(BOTTOM - (BOTTOM - TOP) * value / top, 1)


def _week(page: Page, week: Week) -> str:
    words = {"monday": week.monday.isoformat(), "cost": week.words(page.measure), "n": week.sums["accepted"]}
    return gettext("week of %(monday)s: %(cost)s, %(n)d accepted") % words


@register.filter
def in_words(week: Week, by: Measure) -> str:
    return week.words(by)


@register.filter
def first_in(per: Per, by: Measure) -> str:
    """The first rounds, per record that was accepted at the first pass."""
    return per.first_rounds(by)


@register.filter
def shade(number: int) -> int:
    """The class of a stage's colour, by its place from 0."""
    return number % SHADES + 1
