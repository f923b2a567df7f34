"""First-pass acceptance: the share of reviewed runs whose first review was an approval without a correction."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from generation.models import Subcategory
from learning.window import SIZE, newest_runs
from review.models import Decision, ReviewEvent
from review.models.event import ReviewEventQuerySet

LAST = 60  # runs of a series at most
ACCEPTED = Q(decision=Decision.APPROVE, corrections={})


@dataclass(frozen=True)
class Point:
    """One run's first review, and the share in per cent over it and up to nine before it."""

    run_id: UUID
    at: datetime
    accepted: bool
    share: float
    over: int


def first_reviews() -> ReviewEventQuerySet:
    """Each run's first review by a person that was not undone; one that is left out of learning decides, too."""
    standing = ReviewEvent.objects.standing().filter(source=ReviewEvent.Source.PERSON)
    at, event = OuterRef("created_at"), OuterRef("pk")  # not the sequence: the history may have been written late
    earlier = standing.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=event), run=OuterRef("run"))
    return standing.filter(~Exists(earlier))


def acceptance_series(flow: str, subcategory: Subcategory) -> list[Point]:
    """The first reviews of the runs that were reviewed last, oldest first. Two queries whatever the history."""
    return series_of(flow, [subcategory.pk])[subcategory.pk]


def series_of(flow: str, subcategory_ids: list[int]) -> dict[int, list[Point]]:
    """The series of many subcategories, in two queries."""
    runs = newest_runs(flow, subcategory_ids, LAST)
    rows = (
        ReviewEvent.objects.standing()
        .filter(source=ReviewEvent.Source.PERSON, run__in=[pk for run_ids in runs.values() for pk in run_ids])
        .order_by("created_at", "id")
        .values_list("run_id", "created_at", "decision", "corrections")
    )
    accepted: dict[UUID, tuple[datetime, bool]] = {}
    for run, at, decision, changes in rows:
        accepted.setdefault(run, (at, decision == Decision.APPROVE and not changes))
    return {
        subcategory_id: _points([(run, *accepted[run]) for run in run_ids if run in accepted])
        for subcategory_id, run_ids in runs.items()
    }


def _points(firsts: list[tuple[UUID, datetime, bool]]) -> list[Point]:
    points = []
    firsts.sort(key=lambda first: first[1])
    for end in range(1, len(firsts) + 1):
        last = firsts[max(0, end - SIZE) : end]
        run_id, at, accepted = last[-1]
        share = 100 * sum(was_accepted for *_, was_accepted in last) / len(last)
        points.append(Point(run_id, at, accepted, round(share, 1), len(last)))
    return points
