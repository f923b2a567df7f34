"""Counts over all time. The only place that reads a whole history, so that a rollup can take its place."""

from dataclasses import dataclass, field
from typing import cast

from django.db.models import Count, Q

from learning.acceptance import ACCEPTED, first_reviews
from learning.window import RAISED_BY
from review.models import ReviewEvent


@dataclass(frozen=True)
class Totals:
    """runs: reviewed ones, by reviews that count. raised: per flag, the runs that raised it.
    first, accepted: runs with a first review, and those that it approved without a correction."""

    runs: int = 0
    reviews: int = 0
    raised: dict[str, int] = field(default_factory=dict)
    first: int = 0
    accepted: int = 0


def totals(flow: str, subcategory_ids: list[int]) -> dict[int, Totals]:
    """The totals of many subcategories, in two queries."""
    raised = {flag: Q(**{signal: by}) for flag, (signal, by) in RAISED_BY.items()}
    raised["missing_spec"] = Q(missing_spec__len__gt=0)
    of_these = Q(run__flow=flow, run__subcategory__in=subcategory_ids)
    counted = (
        ReviewEvent.objects.counting()
        .filter(of_these)
        .order_by()
        .values("run__subcategory")
        .annotate(runs=Count("run", distinct=True), reviews=Count("pk"))
        .annotate(**{f"of_{flag}": Count("run", distinct=True, filter=which) for flag, which in raised.items()})
    )
    firsts = (
        first_reviews()
        .filter(of_these)
        .order_by()
        .values("run__subcategory")
        .annotate(first=Count("pk"), accepted=Count("pk", filter=ACCEPTED))
    )
    by_first = {row["run__subcategory"]: (row["first"], row["accepted"]) for row in firsts}
    by_count = {row["run__subcategory"]: cast("dict[str, int]", row) for row in counted}
    found = {}
    for subcategory_id in subcategory_ids:
        first, accepted = by_first.get(subcategory_id, (0, 0))
        row = by_count.get(subcategory_id, {})
        of = {flag: row.get(f"of_{flag}", 0) for flag in raised}
        found[subcategory_id] = Totals(row.get("runs", 0), row.get("reviews", 0), of, first, accepted)
    return found
