"""The history: an event for every submitted review, later where it could not be written at once."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from generation.errors import Conflict
from generation.models import Run
from review import recording
from review.models import ReviewEvent, ReviewForm
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.review.reviews import FULL, at_once, broken_history, now, settle

pytestmark = pytest.mark.django_db


def test_a_failed_history_write_keeps_the_review_and_is_repaired(mia: User, run: Run) -> None:
    right = SubcategoryFactory(slug="right")
    assert run.subcategory is not None
    with broken_history():
        recorded = recording.submit(run.pk, replace(FULL, subcategory=right), reviewer=mia)
    assert recorded.event is None and recorded.form.event is None
    assert (recorded.run.status, recorded.run.last_review_event_id) == ("approved", None)
    assert recorded.run.latest_review is not None
    settle()
    assert recording.write_missing_events() == 1
    event = ReviewEvent.objects.get()
    form = ReviewForm.objects.get()
    assert form.event == event and event.created_at == form.submitted_at
    assert (event.notes, event.draft) == (FULL.notes, run.drafts.get())
    assert event.corrections == {"subcategory": {"from": run.subcategory.slug, "to": "right"}}
    assert now(run).last_review_event_id == event.pk
    assert recording.write_missing_events() == 0


def test_a_repaired_event_does_not_overtake_a_later_review(mia: User, judge: User, run: Run) -> None:
    with broken_history():
        recording.submit(run.pk, FULL, reviewer=mia)
    settle()
    later = recording.submit(run.pk, Fields("reject"), reviewer=judge).event
    assert recording.write_missing_events() == 1
    assert later is not None and now(run).last_review_event_id == later.pk
    assert list(ReviewEvent.objects.values_list("sequence", "decision")) == [(1, "reject"), (2, "approve")]


def test_fresh_forms_are_left_to_their_own_transaction(mia: User, run: Run) -> None:
    with broken_history():
        recording.submit(run.pk, FULL, reviewer=mia)
    assert recording.write_missing_events() == 0


def test_one_event_that_cannot_be_written_stops_no_other(mia: User) -> None:
    runs = [draft.run for draft in DraftFactory.create_batch(3)]
    with broken_history():
        for run in runs:
            recording.submit(run.pk, FULL, reviewer=mia)
        settle()
        assert recording.write_missing_events() == 0
    ReviewForm.objects.filter(run=runs[1]).update(missing_spec=["x" * 80], revision=7)
    assert recording.write_missing_events() == 3
    assert ReviewEvent.objects.get(run=runs[1]).draft is None


def test_more_repairs_than_one_batch(mia: User) -> None:
    with broken_history():
        for run in RunFactory.create_batch(103):
            recording.submit(run.pk, FULL, reviewer=mia)
    settle()
    assert recording.write_missing_events() == 103


def test_a_decision_is_not_replaced_before_it_is_in_the_history(judge: User, run: Run) -> None:
    with broken_history():
        recording.submit(run.pk, FULL, reviewer=judge)
        with pytest.raises(Conflict, match="not in the history yet"):
            recording.submit(run.pk, Fields("reject"), reviewer=judge)
    recording.submit(run.pk, Fields("reject"), reviewer=judge)
    assert [e.decision for e in ReviewEvent.objects.all()] == ["approve", "reject"]


@pytest.mark.django_db(transaction=True)
def test_repairing_in_five_processes_at_once_writes_each_event_once() -> None:
    mia = UserFactory()
    runs = [draft.run for draft in DraftFactory.create_batch(12)]
    with transaction.atomic(), broken_history():
        for run in runs:
            recording.submit(run.pk, FULL, reviewer=mia)
    settle()
    at_once(5, lambda n: recording.write_missing_events())
    recording.write_missing_events()  # what one found locked by another is left to the next time
    assert sorted(ReviewEvent.objects.values_list("run", flat=True)) == sorted(run.pk for run in runs)
    assert not ReviewForm.objects.filter(event=None).exists()
