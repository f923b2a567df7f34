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

from generation.flows import label_of
from generation.models import DailySpend, Run
from learning.overview.days import filled, last_days
from learning.templatetags.drawings import ago
from review.models import ReviewEvent, Tally
from review.queue import count_waiting

DAYS = 14
ACCEPTANCE_DAYS = 30
ByDay = Mapping[date, int]
ByFlowAndDay = Mapping[tuple[str, date], int]


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
    """Four figures in five queries: days off the tallies, the queue and its oldest, today's reviewers, spend."""
    since = last_days(max(DAYS, ACCEPTANCE_DAYS))[0]
    tallies = Tally.objects.by_flow_and_day("created", "reviewed", "first", "accepted", since=since)
    return [
        _waiting(_by_day(tallies["created"])),
        _acceptance(tallies["first"], tallies["accepted"]),
        _reviewed(_by_day(tallies["reviewed"])),
        _spent(),
    ]


def _by_day(counts: ByFlowAndDay) -> ByDay:
    days: dict[date, int] = {}
    for (_flow, day), count in counts.items():
        days[day] = days.get(day, 0) + count
    return days


def _waiting(came: ByDay) -> Figure:
    days = last_days(DAYS)
    waiting = count_waiting()
    return Figure(
        _("Waiting for review"),
        f"{waiting:,}",
        _oldest(ngettext("run", "runs", waiting)),
        filled(came, days),
        _("new runs, 14 days"),
        ngettext("%d new today", "%d new today", came.get(days[-1], 0)) % came.get(days[-1], 0),
    )


def _oldest(words: str) -> str:
    oldest = Run.objects.up_for_review().order_by("changed_at").values_list("changed_at", flat=True).first()
    if oldest is None:
        return words
    return _("%(runs)s, the oldest %(age)s") % {"runs": words, "age": ago(oldest)}


def _acceptance(firsts: ByFlowAndDay, passed: ByFlowAndDay) -> Figure:
    days = last_days(ACCEPTANCE_DAYS)
    count, accepted = sum(firsts.values()), sum(passed.values())
    by_flow: dict[str, tuple[int, int]] = {}
    by_day: dict[date, tuple[int, int]] = {}
    for (flow, day), first in firsts.items():
        found = passed.get((flow, day), 0), first
        by_flow[flow] = _plus(by_flow.get(flow), found)
        by_day[day] = _plus(by_day.get(day), found)
    return Figure(
        _("First-pass acceptance"),
        f"{round(100 * accepted / count)} %" if count else "–",
        _("of %s") % f"{count:,}" if count else "",
        _running(by_day, days),
        _("30 days"),
        _each(by_flow, count),
    )


def _plus(one: tuple[int, int] | None, other: tuple[int, int]) -> tuple[int, int]:
    return (one[0] + other[0], one[1] + other[1]) if one else other


def _each(by_flow: Mapping[str, tuple[int, int]], count: int) -> str:
    """Of several flows the one with the lowest share, which their sum hides; of one how many runs there were."""
    if not count:
        return _("no review yet")
    if len(by_flow) == 1:
        return ngettext("%d run reviewed first", "%d runs reviewed first", count) % count
    share, flow = min((accepted / first, flow) for flow, (accepted, first) in by_flow.items())
    return _("lowest: %(flow)s, %(share)d %%") % {"flow": label_of(flow), "share": round(100 * share)}


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
    today = (
        ReviewEvent.objects.standing().settled().filter(source=ReviewEvent.Source.PERSON, created_at__gte=midnight)
    )
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
