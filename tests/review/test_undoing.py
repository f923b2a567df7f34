"""Taking a review back: the run stands as before, and nothing is lost."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models.functions import Now

from generation import lease
from generation.errors import Conflict
from generation.models import Call, Run, Status
from learning.window import window
from review import queue, recording
from review.models import Claim, ReviewEvent, ReviewForm
from review.recording import Fields
from tests.factories import DraftFactory, SubcategoryFactory, UserFactory
from tests.review.reviews import FULL, broken_history, now
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia() -> User:
    user: User = UserFactory(username="mia")
    return user


@pytest.fixture
def judge() -> User:
    user: User = UserFactory(username="judge")
    codenames = ["adjudicate_run", "leave_out_reviewevent"]
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


@pytest.fixture
def run() -> Run:
    """A run with every field set that a decision or a new round changes."""
    made: Run = DraftFactory().run
    Run.objects.filter(pk=made.pk).update(
        status=Status.FAILED,
        error={"code": "timeout", "detail": "the supervisor did not answer"},
        judge_outcome="unavailable",
        suspicion="length 9.8 × the median",
        degradations=["example"],
        trigger_state={"low_confidence": True},
        attempts=2,
        started_at=Now() - timedelta(minutes=2),
        finished_at=Now() - timedelta(minutes=1),
    )
    return now(made)


def state(run: Run) -> dict[str, Any]:
    return {field.attname: getattr(run, field.attname) for field in Run._meta.concrete_fields}


@pytest.mark.parametrize("decision", ["approve", "reject", "revise"])
def test_the_run_stands_as_before(mia: User, run: Run, decision: str) -> None:
    recording.submit(run.pk, replace(FULL, decision=decision, subcategory=SubcategoryFactory()), reviewer=mia)
    event = recording.undo(run.pk, mia)
    assert state(now(run)) == state(run)
    submitted = ReviewEvent.objects.get(kind="submitted")
    assert (event.kind, event.undoes, event.sequence, event.reviewer) == ("undone", submitted, 2, mia)
    assert event.created_at > submitted.created_at
    assert list(ReviewEvent.objects.standing()) == []


@pytest.mark.parametrize("decision", ["approve", "reject", "revise"])
def test_queue_and_window_are_exactly_as_before(mia: User, decision: str) -> None:
    drills, others = SubcategoryFactory(), SubcategoryFactory()
    for bad in (True, False):
        recording.submit(
            DraftFactory(run__subcategory=drills).run.pk, Fields("approve", bad_format=bad), reviewer=mia
        )
    runs = [DraftFactory(run__subcategory=drills).run for _ in range(3)]

    def all_of_it() -> Any:
        windows = [window("item", part.pk) for part in (drills, others)]
        return waiting_ids(), queue.count_waiting(), windows

    before = all_of_it()
    fields = Fields(decision, bad_format=True, subcategory=others)
    recording.submit(runs[0].pk, fields, reviewer=mia)
    assert all_of_it() != before
    recording.undo(runs[0].pk, mia)
    assert all_of_it() == before
    claim = queue.claim_next(mia)
    assert claim and claim.run == runs[0]


def test_a_form_from_before_its_place_was_kept_is_undone_too(mia: User, run: Run) -> None:
    form = recording.submit(run.pk, FULL, reviewer=mia).form
    ReviewForm.objects.filter(pk=form.pk).update(
        before={name: value for name, value in form.before.items() if name != "changed_at"}
    )
    recording.undo(run.pk, mia)
    assert now(run).is_up_for_review


def test_the_form_is_open_again_with_its_fields_and_the_run_is_theirs(mia: User, run: Run) -> None:
    form = recording.submit(run.pk, FULL, reviewer=mia).form
    recording.undo(run.pk, mia)
    form.refresh_from_db()
    assert (form.state, form.event, form.submitted_at, form.decision) == ("half_filled", None, None, "approve")
    assert (form.notes, form.missing_spec) == (FULL.notes, FULL.missing_spec)
    assert Claim.objects.get(run=run).reviewer == mia
    again = recording.submit(run.pk, FULL, reviewer=mia)
    assert again.form == form and again.event is not None and again.event.sequence == 3
    assert now(run).last_review_event_id == again.event.pk


def test_the_review_before_counts_again(mia: User, judge: User, run: Run) -> None:
    first = recording.submit(run.pk, FULL, reviewer=mia)
    recording.submit(run.pk, Fields("reject"), reviewer=judge)
    recording.undo(run.pk, judge)
    assert first.event is not None
    assert (now(run).status, now(run).last_review_event_id) == ("approved", first.event.pk)
    assert now(run).latest_review == first.run.latest_review
    assert not Claim.objects.exists(), "a decided run waits for nobody"
    recording.undo(run.pk, mia)
    assert now(run).last_review_event_id is None


def test_nothing_to_take_back(mia: User, judge: User, run: Run) -> None:
    with pytest.raises(Conflict, match="no review"):
        recording.undo(run.pk, mia)
    recording.submit(run.pk, FULL, reviewer=mia)
    with pytest.raises(Conflict, match="no review"):
        recording.undo(run.pk, judge)
    recording.undo(run.pk, mia)
    with pytest.raises(Conflict, match="no review"):
        recording.undo(run.pk, mia)


def test_reviewed_by_another_since(mia: User, judge: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=mia)
    recording.submit(run.pk, Fields("reject"), reviewer=judge)
    with pytest.raises(Conflict, match="judge has reviewed this run since"):
        recording.undo(run.pk, mia)


def test_a_rejected_run_that_was_retried(mia: User, run: Run) -> None:
    recording.submit(run.pk, Fields("reject"), reviewer=mia)
    Run.objects.update(status=Status.QUEUED)
    with pytest.raises(Conflict, match="it is queued now"):
        recording.undo(run.pk, mia)


def test_a_revise_whose_round_has_a_draft(mia: User, run: Run) -> None:
    recording.submit(run.pk, Fields("revise"), reviewer=mia)
    DraftFactory(run=run, revision=2, round=2)
    Run.objects.update(revision=2, status=Status.REVIEWING)
    with pytest.raises(Conflict, match="has produced a draft"):
        recording.undo(run.pk, mia)
    assert now(run).status == Status.REVIEWING


def test_a_revise_that_a_worker_has_begun(mia: User, run: Run) -> None:
    """Its round stays counted: the next revise must not take the answers of calls made for this one."""
    recording.submit(run.pk, Fields("revise"), reviewer=mia)
    Run.objects.update(status=Status.GENERATING, lease=run.pk, lease_expires_at=Now() + timedelta(minutes=9))
    Call.objects.create(run=run, round=2, stage="extraction", answer="{}")
    recording.undo(run.pk, mia)
    assert state(now(run)) == state(run) | {"round": 2}
    assert ReviewForm.objects.get().round == 2
    assert recording.submit(run.pk, Fields("revise"), reviewer=mia).run.round == 3


def test_the_worker_of_a_withdrawn_round_loses_its_lease(mia: User, run: Run) -> None:
    recording.submit(run.pk, Fields("revise"), reviewer=mia)
    worker = lease.take(run.pk)
    assert worker is not None
    recording.undo(run.pk, mia)
    with pytest.raises(lease.Lost):
        worker.update()
    assert lease.take(run.pk) is None
    assert state(now(run)) == state(run) | {"round": 2}


def test_a_review_that_is_not_in_the_history_yet(mia: User, run: Run) -> None:
    with broken_history():
        recording.submit(run.pk, FULL, reviewer=mia)
        with pytest.raises(Conflict, match="not in the history yet"):
            recording.undo(run.pk, mia)
    recording.undo(run.pk, mia)
    assert [e.kind for e in ReviewEvent.objects.all()] == ["submitted", "undone"]
    assert state(now(run)) == state(run)


def test_undone_while_another_claims_the_run(mia: User, judge: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=mia)
    recording.undo(run.pk, mia)
    assert queue.claim_next(judge) is None


# --- Left out of learning --------------------------------------------------------------------------------


def test_a_review_left_out_still_decides(mia: User, run: Run) -> None:
    event = recording.submit(run.pk, FULL, reviewer=mia).event
    assert event is not None
    left_out = recording.leave_out(event.pk, mia)
    assert (left_out.kind, left_out.undoes, left_out.sequence) == ("left_out", event, 2)
    assert (now(run).status, now(run).last_review_event_id, now(run).last_reviewed_at) == ("approved", None, None)
    assert list(ReviewEvent.objects.standing()) == [event]
    assert list(ReviewEvent.objects.counting()) == []


def test_who_may_leave_a_review_out(mia: User, judge: User, run: Run) -> None:
    event = recording.submit(run.pk, FULL, reviewer=mia).event
    assert event is not None
    with pytest.raises(PermissionDenied):
        recording.leave_out(event.pk, UserFactory())
    assert recording.leave_out(event.pk, judge).reviewer == judge


def test_what_does_not_count_cannot_be_left_out(mia: User, judge: User, run: Run) -> None:
    event = recording.submit(run.pk, FULL, reviewer=mia).event
    assert event is not None
    left_out = recording.leave_out(event.pk, mia)
    machine = recording.submit(DraftFactory().run.pk, FULL, service="checker").event
    assert machine is not None
    for nothing in (event, left_out, machine):
        with pytest.raises(Conflict):
            recording.leave_out(nothing.pk, judge)


def test_a_review_left_out_can_be_undone(mia: User, run: Run) -> None:
    event = recording.submit(run.pk, FULL, reviewer=mia).event
    assert event is not None
    recording.leave_out(event.pk, mia)
    recording.undo(run.pk, mia)
    assert state(now(run)) == state(run)
