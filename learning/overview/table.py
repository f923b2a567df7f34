"""The overview's days as a table: what its lines draw, in numbers."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.db.models import Sum

from generation.models import DailySpend
from learning.overview.days import last_days
from review.exports.columns import Row, columns
from review.models import Tally

DAYS = 30
COLUMNS = columns(
    day="text", new_runs="integer", reviews="integer", first_reviews="integer", accepted="integer",
    spent_usd="number",
)  # fmt: skip


@dataclass(frozen=True)
class Day:
    """One day of all flows."""

    day: date
    new_runs: int
    reviews: int
    first_reviews: int
    accepted: int
    spent_usd: Decimal


def by_day() -> list[Day]:
    """The last thirty days, the newest first; two queries over sums."""
    days = last_days(DAYS)
    whats = ("created", "reviewed", "first", "accepted")
    found = Tally.objects.filter(what__in=whats, day__gte=days[0]).order_by()
    counts = {(what, day): sum for what, day, sum in found.values_list("what", "day").annotate(Sum("change"))}
    spent = dict(DailySpend.objects.filter(day__gte=days[0]).values_list("day", "cost_usd"))
    return [
        Day(
            day=day,
            new_runs=counts.get(("created", day), 0),
            reviews=counts.get(("reviewed", day), 0),
            first_reviews=counts.get(("first", day), 0),
            accepted=counts.get(("accepted", day), 0),
            spent_usd=spent.get(day, Decimal(0)),
        )
        for day in reversed(days)
    ]


def rows(days: list[Day]) -> list[Row]:
    return [vars(day) | {"day": day.day.isoformat()} for day in days]
