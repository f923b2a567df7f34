"""How long something took, as people read it."""

from datetime import timedelta

from django.utils.translation import gettext as _


def took(length: timedelta, *, whole: bool = False) -> str:
    """Two figures that count: "40 ms", "1.4 s", "12 s", "2 min 5 s", "3 h 4 min"; whole: full seconds alone."""
    milliseconds = max(0, round(length.total_seconds() * 1000))
    if milliseconds < 950 and not whole:
        return _("%d ms") % milliseconds
    if milliseconds < 9950 and not whole:
        return _("%.1f s") % (milliseconds / 1000)
    seconds = milliseconds // 1000 if whole else round(milliseconds / 1000)
    if seconds < 60:
        return _("%d s") % seconds
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return _("%(min)d min %(s)d s") % {"min": minutes, "s": seconds} if seconds else _("%d min") % minutes
    hours, minutes = divmod(minutes, 60)
    return _("%(h)d h %(min)d min") % {"h": hours, "min": minutes} if minutes else _("%d h") % hours
