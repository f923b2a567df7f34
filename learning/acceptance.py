"""First-pass acceptance: the share of reviewed runs whose first review was an approval without a correction."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from generation.models import Subcategory
from learning.window import NEWEST, SIZE
from review.models import Decision, ReviewEvent
from review.models.event import ReviewEventQuerySet

LAST = 60  # runs of a series at most
ACCEPTED = Q(decision=Decision.APPROVE, corrections={})
# `ReviewEvent.objects.standing()` by a person of the runs reviewed last, and whether each is ACCEPTED.
_STANDING = f"""
{NEWEST}
SELECT run.subcategory_id, run.id, event.round, event.blind, event.created_at,
  event.decision = 'approve' AND event.corrections = '{{}}'
FROM run JOIN event ON event.run_id = run.id
WHERE event.kind = 'submitted' AND event.source = 'person'
  AND event.id <> ALL (ARRAY(SELECT undoes_id FROM event WHERE kind = 'undone'))
ORDER BY event.created_at, event.id
"""  # noqa: S608 - joined of constants, values are bound


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
    standing = ReviewEvent.objects.standing().settled().filter(source=ReviewEvent.Source.PERSON)
    at, event = OuterRef("created_at"), OuterRef("pk")  # not the sequence: the history may have been written late
    earlier = standing.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=event), run=OuterRef("run"))
    return standing.filter(~Exists(earlier))


def acceptance_series(flow: str, subcategory: Subcategory) -> list[Point]:
    """The first reviews of the runs that were reviewed last, oldest first. One query whatever the history."""
    return series_of(flow, [subcategory.pk])[subcategory.pk]


def series_of(flow: str, subcategory_ids: list[int]) -> dict[int, list[Point]]:
    """The series of many subcategories, in one query."""
    firsts: dict[UUID, tuple[int, int, datetime, bool]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"flow": flow, "subcategories": subcategory_ids, "most": LAST})
        for subcategory_id, run, round, blind, at, accepted in cursor.fetchall():
            *place, first_at, so_far = firsts.setdefault(run, (subcategory_id, round, at, accepted))
            if blind and round == place[1]:  # one of several reviewers: all must have accepted
                firsts[run] = (subcategory_id, round, first_at, so_far and accepted)
    runs: dict[int, list[tuple[UUID, datetime, bool]]] = {subcategory_id: [] for subcategory_id in subcategory_ids}
    for run, (subcategory_id, _round, at, accepted) in firsts.items():
        runs[subcategory_id].append((run, at, accepted))
    return {subcategory_id: _points(found) for subcategory_id, found in runs.items()}


def _points(firsts: list[tuple[UUID, datetime, bool]]) -> list[Point]:
    """Of first reviews, oldest first."""
    points = []
    among = 0  # accepted ones of the last ten
    for place, (run_id, at, accepted) in enumerate(firsts):
        among += accepted - (firsts[place - SIZE][2] if place >= SIZE else 0)
        over = min(place + 1, SIZE)
        points.append(Point(run_id, at, accepted, round(100 * among / over, 1), over))
    return points
