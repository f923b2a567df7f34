"""Histories of reviews for tests: what people said about runs, as events with the runs' summary kept up."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone

from generation.models import Run, Subcategory
from review.models import ReviewEvent
from tests.factories import ReviewEventFactory, RunFactory, UserFactory

Review = Mapping[str, Any]  # fields of a review event; {} is a review without any signal


def said(run: Run, **review: Any) -> ReviewEvent:
    """One more review of the run, and the run's summary as recording leaves it."""
    newest = run.review_events.aggregate(newest=Max("sequence"))["newest"] or 0
    event: ReviewEvent = ReviewEventFactory(run=run, sequence=newest + 1, **review)
    summarise(run)
    return event


def taken_back(event: ReviewEvent, kind: str) -> ReviewEvent:
    newest = event.run.review_events.aggregate(newest=Max("sequence"))["newest"]
    back: ReviewEvent = ReviewEventFactory(
        run=event.run, sequence=newest + 1, kind=kind, undoes=event, decision="", reviewer=event.reviewer
    )
    summarise(event.run)
    return back


def summarise(run: Run) -> None:
    last = ReviewEvent.objects.counting().filter(run=run).order_by("-created_at", "-id").first()
    Run.objects.filter(pk=run.pk).update(
        last_reviewed_at=last and last.created_at, last_review_event_id=last and last.pk
    )


def reviewed(subcategory: Subcategory, *reviews: Review, **run: Any) -> Run:
    """A run of the subcategory with these reviews, one after the other."""
    made: Run = RunFactory(subcategory=subcategory, **run)
    for review in reviews:
        said(made, **review)
    return made


def history(subcategory: Subcategory, runs: Iterable[Iterable[Review]], **fields: Any) -> list[Run]:
    return [reviewed(subcategory, *reviews, **fields) for reviews in runs]


def many(subcategory: Subcategory, runs: int, events_each: int, **review: Any) -> None:
    """A long history, in two statements."""
    reviewer = UserFactory()
    now = timezone.now()
    made = Run.objects.bulk_create(
        RunFactory.build_batch(runs, subcategory=subcategory, last_reviewed_at=now, last_review_event_id=1)
    )
    events = ReviewEvent.objects.bulk_create(
        ReviewEvent(
            run=run, sequence=n + 1, reviewer=reviewer, created_at=now, **({"decision": "approve"} | review)
        )
        for run in made
        for n in range(events_each)
    )
    for event in events:
        event.run.last_reviewed_at = event.created_at + timedelta(microseconds=event.pk)
        event.run.last_review_event_id = event.pk
    Run.objects.bulk_update(made, ["last_reviewed_at", "last_review_event_id"])
