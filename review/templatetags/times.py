"""Times as people read them: relative, with the exact one on hover."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from generation.durations import took

register = template.Library()


@register.filter
def span(length: timedelta) -> str:
    """Two units at most: "3 d 4 h", "19 h", "9 min", "40 s"."""
    seconds = max(0, int(length.total_seconds()))
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return _("%(days)d d %(hours)d h") % {"days": days, "hours": hours} if hours else _("%d d") % days
    if hours:
        return _("%d h") % hours
    return _("%d min") % minutes if minutes else _("%d s") % seconds


@register.filter
def lasted(milliseconds: int | None) -> str:
    """How long a call took."""
    return "" if milliseconds is None else took(timedelta(milliseconds=milliseconds))


@register.filter
def age(moment: datetime | None) -> SafeString | str:
    """How long ago, as a <time> that carries the exact moment."""
    if moment is None:
        return ""
    exact = date_format(timezone.localtime(moment), "Y-m-d H:i:s e")
    words = span(timezone.now() - moment)
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact, words)


@register.filter
def at(moment: datetime | None) -> str:
    """The time of day and its zone, with the day where it is not today's."""
    if moment is None:
        return ""
    here, today = timezone.localtime(moment), timezone.localdate()
    return date_format(here, "H:i e" if here.date() == today else "Y-m-d H:i e")


@register.filter
def left(moment: datetime | None) -> str:
    """How long until then."""
    return "" if moment is None else span(moment - timezone.now())
