"""What the first reviewer of a past run had said, and the record that people left."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import F

from generation.models import Draft, Run, Status
from learning.acceptance import first_reviews
from review.models import Decision, ReviewEvent


def first_reviews_of(runs: Iterable[Run]) -> dict[UUID, ReviewEvent]:
    """By run; one query. Runs that nobody has reviewed stay away."""
    found = first_reviews().filter(run__in=[run.pk for run in runs]).select_related("reviewer")
    return {event.run_id: event for event in found}


def accepted(event: ReviewEvent) -> bool:
    """Whether it approved without a correction."""
    return event.decision == Decision.APPROVE and not event.corrections


def approved_records(runs: Iterable[Run]) -> dict[UUID, Draft]:
    """The records of the approved ones, as people left them. One query."""
    approved = [run.pk for run in runs if run.status == Status.APPROVED]
    final = Draft.objects.filter(run__in=approved, revision=F("run__revision"))
    return {draft.run_id: draft for draft in final}
