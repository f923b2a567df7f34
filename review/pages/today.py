"""Today: the day of the server's time zone, which the queue's list and a reviewer's own count share."""

from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from review.models import ReviewEvent


def midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def reviewed_today(user: User) -> int:
    """Reviews that this person submitted since midnight and did not take back; read by index, a day's at most."""
    return ReviewEvent.objects.standing().filter(reviewer=user, created_at__gte=midnight()).count()
