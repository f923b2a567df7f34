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
FIRST, LAST = LEFT + 12, WIDTH - 36  # dots; the last one's label ends inside on phones, too


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
    """From nothing up, so that heights compare; weeks in which none was accepted break the line. Only where
    `may_draw_weeks`."""
    values = [week.per(page.measure) for week in page.weeks]
    top = max(value for value in values if value is not None)
    step = (LAST - FIRST) / max(1, len(values) - 1)
    dots = [
        {"x": round(FIRST + number * step, 1), "y": _y(value, top), "week": week, "says": _week(page, week)}
        for number, (week, value) in enumerate(zip(page.weeks, values, strict=True))
    ]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "bottom": BOTTOM,
        "labels_y": HEIGHT - 6,
        "rules": axis(page.measure, top),
        "dots": dots,
        "lines": [
            f"{one['x']},{one['y']} {other['x']},{other['y']}"
            for one, other in pairwise(dots)
            if one["y"] is not None and other["y"] is not None
        ],
        "label": gettext("What an accepted record cost, the last %d weeks") % len(values),
    }


def axis(by: Measure, top: float) -> list[dict[str, Any]]:
    """The middle is left out where it reads as one of the ends does."""
    low, half, high = by.words(0), by.words(top / 2), by.words(top)
    middle = [] if half in (low, high) else [(half, (TOP + BOTTOM) / 2)]
    return [{"y": y, "text_y": y + 4, "text": text} for text, y in ((high, TOP), *middle, (low, BOTTOM))]


def _y(value: float | None, top: float) -> float | None:
    return None if value is None else round(BOTTOM - (BOTTOM - TOP) * value / top, 1)


def _week(page: Page, week: Week) -> str:
    words = {"monday": week.monday.isoformat(), "cost": week.told(page.measure), "n": week.sums["accepted"]}
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
