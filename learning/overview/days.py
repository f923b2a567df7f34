"""Days as the overview counts them."""

from collections.abc import Mapping
from datetime import date, timedelta

from django.utils import timezone


def last_days(count: int) -> list[date]:
    """So many days, oldest first, today last (in the installation's time zone)."""
    today = timezone.localdate()
    return [today - timedelta(days=back) for back in reversed(range(count))]


def filled(found: Mapping[date, float], days: list[date]) -> list[float]:
    """A value per day; a day without one is 0."""
    return [float(found.get(day, 0)) for day in days]
