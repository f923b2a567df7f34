"""The four figures of the overview, each with the days behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.models import DailySpend, Run
from learning.acceptance import ACCEPTED, first_reviews
from learning.overview.days import filled, last_days
from review.models import ReviewEvent
from review.queue import count_waiting

DAYS = 14
ACCEPTANCE_DAYS = 30


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
    """Four figures in six queries, none of which reads further back than thirty days."""
    return [_waiting(), _acceptance(), _reviewed(), _spent()]


def _since(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _waiting() -> Figure:
    days = last_days(DAYS)
    came = {
        row["day"]: row["count"]
        for row in Run.objects.filter(created_at__gte=_since(DAYS))
        .annotate(day=TruncDate("created_at"))
        .order_by()
        .values("day")
        .annotate(count=Count("pk"))
    }
    waiting = count_waiting()
    return Figure(
        _("Waiting for review"),
        f"{waiting:,}",
        ngettext("run", "runs", waiting),
        filled(came, days),
        _("new runs, 14 days"),
        ngettext("%d new today", "%d new today", came.get(days[-1], 0)) % came.get(days[-1], 0),
    )


def _acceptance() -> Figure:
    days = last_days(ACCEPTANCE_DAYS)
    rows = list(
        first_reviews()
        .filter(created_at__gte=_since(ACCEPTANCE_DAYS))
        .annotate(day=TruncDate("created_at"))
        .order_by()
        .values("day")
        .annotate(count=Count("pk"), accepted=Count("pk", filter=ACCEPTED))
    )
    count = sum(row["count"] for row in rows)
    accepted = sum(row["accepted"] for row in rows)
    by_day = {row["day"]: (row["accepted"], row["count"]) for row in rows}
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


def _reviewed() -> Figure:
    days = last_days(DAYS)
    rows = (
        ReviewEvent.objects.standing()
        .filter(source=ReviewEvent.Source.PERSON, created_at__gte=_since(DAYS))
        .annotate(day=TruncDate("created_at"))
        .order_by()
        .values("day")
        .annotate(count=Count("pk"), reviewers=Count("reviewer", distinct=True))
    )
    by_day = {row["day"]: row for row in rows}
    today = by_day.get(days[-1], {"count": 0, "reviewers": 0})
    return Figure(
        _("Reviewed today"),
        f"{today['count']:,}",
        ngettext("review", "reviews", today["count"]),
        filled({day: row["count"] for day, row in by_day.items()}, days),
        _("14 days"),
        ngettext("%d reviewer", "%d reviewers", today["reviewers"]) % today["reviewers"],
    )


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
