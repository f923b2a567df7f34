"""The four figures of the overview, each with the days behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.conf import settings
from django.db.models import Count
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.models import DailySpend
from learning.overview.days import filled, last_days
from review.models import ReviewEvent, Tally
from review.queue import count_waiting

DAYS = 14
ACCEPTANCE_DAYS = 30
ByDay = Mapping[date, int]


@dataclass(frozen=True)
class Figure:
    """One number with its unit or frame, a line of days, and two notes."""

    name: str | Promise
    value: str
    beside: str
    points: Sequence[float]
    over: str
    note: str


def figures() -> list[Figure]:
    """Four figures in four queries: days off the tallies, the queue, today's reviewers, what was spent."""
    since = last_days(max(DAYS, ACCEPTANCE_DAYS))[0]
    tallies = Tally.objects.by_day("created", "reviewed", "first", "accepted", since=since)
    return [
        _waiting(tallies["created"]),
        _acceptance(tallies["first"], tallies["accepted"]),
        _reviewed(tallies["reviewed"]),
        _spent(),
    ]


def _waiting(came: ByDay) -> Figure:
    days = last_days(DAYS)
    waiting = count_waiting()
    return Figure(
        _("Waiting for review"),
        f"{waiting:,}",
        ngettext("run", "runs", waiting),
        filled(came, days),
        _("new runs, 14 days"),
        ngettext("%d new today", "%d new today", came.get(days[-1], 0)) % came.get(days[-1], 0),
    )


def _acceptance(firsts: ByDay, passed: ByDay) -> Figure:
    days = last_days(ACCEPTANCE_DAYS)
    count, accepted = sum(firsts.values()), sum(passed.values())
    by_day = {day: (passed.get(day, 0), firsts[day]) for day in firsts}
    return Figure(
        _("First-pass acceptance"),
        f"{round(100 * accepted / count)} %" if count else "–",
        _("of %s") % f"{count:,}" if count else "",
        _running(by_day, days),
        _("30 days"),
        ngettext("%d run reviewed first", "%d runs reviewed first", count) % count
        if count
        else _("no review yet"),
    )


def _running(by_day: dict[date, tuple[int, int]], days: list[date]) -> list[float]:
    """The share so far, day by day, from the first day with a review: one day alone says little."""
    accepted = count = 0
    shares = []
    for day in days:
        more_accepted, more = by_day.get(day, (0, 0))
        accepted, count = accepted + more_accepted, count + more
        if count:
            shares.append(accepted / count)
    return shares


def _reviewed(by_day: ByDay) -> Figure:
    days = last_days(DAYS)
    today, reviewers = by_day.get(days[-1], 0), _reviewers_today()
    return Figure(
        _("Reviewed today"),
        f"{today:,}",
        ngettext("review", "reviews", today),
        filled(by_day, days),
        _("14 days"),
        ngettext("%d reviewer", "%d reviewers", reviewers) % reviewers,
    )


def _reviewers_today() -> int:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    today = ReviewEvent.objects.standing().filter(source=ReviewEvent.Source.PERSON, created_at__gte=midnight)
    count: int = today.aggregate(count=Count("reviewer", distinct=True))["count"]
    return count


def _spent() -> Figure:
    days = last_days(DAYS)
    by_day = dict(DailySpend.objects.filter(day__gte=days[0]).values_list("day", "cost_usd"))
    today = by_day.get(days[-1], Decimal(0))
    cap = settings.FOLDBACK_SPEND_CAP_USD
    return Figure(
        _("Spent today"),
        f"${today:,.2f}",
        _("of %s") % f"${cap:,.2f}" if cap else _("no cap set"),
        filled({day: float(cost) for day, cost in by_day.items()}, days),
        _("14 days"),
        _("%s in 14 days") % f"${sum(by_day.values(), Decimal(0)):,.2f}",
    )
