"""Where first-pass acceptance became better or worse: the last week against the four weeks before it."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db import connection

from generation.models import Subcategory
from learning.statistics.proportions import Rate, z_of

WEEK, BEFORE = 7, 28  # days
ENOUGH = 5  # first reviews on either side, else nothing is compared
CONFIDENCE = 0.95  # that none of all that are compared is told by chance
SHOWN = 6
_SUMS = """
SELECT flow, subcategory_id,
  coalesce(sum(accepted) FILTER (WHERE day > %(split)s), 0)::bigint,
  coalesce(sum(first) FILTER (WHERE day > %(split)s), 0)::bigint,
  coalesce(sum(accepted) FILTER (WHERE day <= %(split)s), 0)::bigint,
  coalesce(sum(first) FILTER (WHERE day <= %(split)s), 0)::bigint
FROM learning_daysum WHERE day > %(start)s AND day <= %(today)s GROUP BY flow, subcategory_id
"""


@dataclass(frozen=True)
class Trend:
    """A subcategory of a flow whose acceptance moved by more than chance. Rates at the confidence compared at."""

    flow: str
    subcategory: Subcategory
    now: Rate
    before: Rate

    @property
    def points(self) -> float:
        return (self.now.percent or 0) - (self.before.percent or 0)

    @property
    def is_better(self) -> bool:
        return self.points > 0


@dataclass(frozen=True)
class Trends:
    """moved: what changed most first. compared: how many subcategories had enough reviews on both sides."""

    moved: list[Trend]
    compared: int


def trends(today: date) -> Trends:
    """Two queries over the sums of five weeks.

    Several places are compared at once, each therefore at 1 - 5 % ÷ their number (Bonferroni), by Newcombe.
    """
    with connection.cursor() as cursor:
        split = today - timedelta(days=WEEK)
        cursor.execute(_SUMS, {"today": today, "split": split, "start": split - timedelta(days=BEFORE)})
        rows = [row for row in cursor.fetchall() if row[3] >= ENOUGH and row[5] >= ENOUGH]
    z = z_of(1 - (1 - CONFIDENCE) / max(1, len(rows)))
    found = [(row, Rate(row[2], row[3], z), Rate(row[4], row[5], z)) for row in rows]
    moved = [(row, now, before) for row, now, before in found if _differ(now, before)]
    places = Subcategory.objects.in_bulk([row[1] for row, _now, _before in moved])
    made = [Trend(row[0], places[row[1]], now, before) for row, now, before in moved if row[1] in places]
    made.sort(key=lambda trend: (-abs(trend.points), trend.flow, trend.subcategory.name))
    return Trends(made[:SHOWN], len(rows))


def _differ(now: Rate, before: Rate) -> bool:
    low, high = now.minus(before)
    return low > 0 or high < 0
