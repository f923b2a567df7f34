"""Submitting a review: form, summary, status and history, all or nothing where it must be."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from generation.errors import BadInput, Conflict
from generation.ids import uuid7
from generation.models import JudgeOutcome, NodeEvent, Run, Status
from review import history, queue, recording
from review.models import Claim, ReviewEvent, ReviewForm
from review.recording import Fields
from tests.factories import DraftFactory, SubcategoryFactory, UserFactory
from tests.review.reviews import FULL, at_once, now

pytestmark = pytest.mark.django_db


def test_everything_a_review_says_is_kept(mia: User, run: Run) -> None:
    recorded = recording.submit(run.pk, FULL, reviewer=mia, revision=1)
    event = ReviewEvent.objects.get()
    for name in ("decision", "information_present", "missing_spec", "bad_format", "notes"):
        assert getattr(event, name) == getattr(recorded.form, name) == getattr(FULL, name)
    assert (event.wrong_information, event.wrong_physical_dimensions) == (None, True)
    assert (event.run, event.draft, event.round, event.sequence) == (run, run.drafts.get(), 1, 1)
    assert (event.kind, event.source, event.reviewer, event.service) == ("submitted", "person", mia, "")
    assert (event.blind, event.corrections, event.undoes) == (False, {}, None)
    assert recorded.event == recorded.form.event == event
    assert recorded.form.submitted_at == event.created_at
    assert recorded.form.revision == 1


@pytest.mark.parametrize(("decision", "status"), [("approve", "approved"), ("reject", "rejected")])
def test_the_decision_moves_the_run_and_leaves_the_judges_verdict(
    mia: User, run: Run, decision: str, status: str
) -> None:
    Run.objects.update(judge_outcome=JudgeOutcome.NEEDS_HUMAN_REVIEW, status=Status.NEEDS_HUMAN_REVIEW)
    recorded = recording.submit(run.pk, replace(FULL, decision=decision), reviewer=mia)
    stored = now(run)
    assert recorded.event is not None
    assert (stored.status, stored.judge_outcome) == (status, "needs_human_review")
    assert (recorded.run.status, recorded.run.judge_outcome) == (status, "needs_human_review")
    assert recorded.run.last_reviewed_at == recorded.event.created_at
    assert recorded.run.last_review_event_id == recorded.event.pk
    assert recorded.run.changed_at > run.changed_at
    assert NodeEvent.objects.get(run=run, kind="status").node == status


def test_the_summary_on_the_run(mia: User, run: Run) -> None:
    form = recording.submit(run.pk, FULL, reviewer=mia).form
    assert form.submitted_at is not None
    assert now(run).latest_review == {
        "decision": "approve",
        "information_present": True,
        "missing_spec": ["charging time", "Weight"],
        "bad_format": False,
        "wrong_information": None,
        "wrong_physical_dimensions": True,
        "notes": FULL.notes,
        "subcategory": None,
        "reviewer": "Mia Koch",
        "source": "person",
        "round": 1,
        "revision": 1,
        "at": form.submitted_at.isoformat(),
        "status_before": "awaiting_review",
        "form": form.pk,
    }


@pytest.mark.parametrize("decision", ["approve", "reject", "revise"])
def test_the_run_in_hand_is_the_run_as_stored(mia: User, run: Run, decision: str) -> None:
    fields = replace(FULL, decision=decision, subcategory=SubcategoryFactory(slug="saws"))
    in_hand = recording.submit(run.pk, fields, reviewer=mia).run
    stored = now(run)
    names = [field.attname for field in Run._meta.concrete_fields if not field.generated]
    assert {name: getattr(in_hand, name) for name in names} == {name: getattr(stored, name) for name in names}


def test_a_review_is_placed_where_counting_all_anew_would_place_it(mia: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=mia)
    Run.objects.update(status=Status.AWAITING_REVIEW)
    recording.submit(run.pk, Fields("reject"), reviewer=UserFactory())
    placed = now(run).last_review_event_id
    history.recount(run.pk)
    assert now(run).last_review_event_id == placed == ReviewEvent.objects.latest("pk").pk


def test_submitting_takes_twelve_statements(
    mia: User, run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queue.take(run.pk, mia)
    with django_assert_num_queries(12):  # two of them for the test's own transaction
        recording.submit(run.pk, FULL, reviewer=mia)


def test_a_review_without_any_signal_counts(mia: User, run: Run) -> None:
    event = recording.submit(run.pk, Fields("reject"), reviewer=mia).event
    assert event is not None and event.information_present is None and event.missing_spec == []
    assert now(run).last_review_event_id == event.pk


def test_revise_starts_the_next_round(mia: User, run: Run) -> None:
    recorded = recording.submit(run.pk, Fields("revise", bad_format=True), reviewer=mia)
    assert (recorded.run.status, recorded.run.round, recorded.run.revision) == ("queued", 2, 1)
    assert recorded.event is not None and recorded.event.round == 1
    assert recorded.run.latest_review is not None and recorded.run.latest_review["round"] == 1


def test_a_corrected_subcategory(mia: User, run: Run) -> None:
    right = SubcategoryFactory(slug="right")
    assert run.subcategory is not None
    recorded = recording.submit(run.pk, replace(FULL, subcategory=right), reviewer=mia)
    assert (now(run).subcategory, now(run).subcategory_corrected) == (right, True)
    assert recorded.event is not None
    assert recorded.event.corrections == {"subcategory": {"from": run.subcategory.slug, "to": "right"}}


def test_a_subcategory_given_where_there_was_none(mia: User, run: Run) -> None:
    Run.objects.update(subcategory=None)
    event = recording.submit(run.pk, replace(FULL, subcategory=SubcategoryFactory(slug="new")), reviewer=mia).event
    assert event is not None and event.corrections == {"subcategory": {"from": None, "to": "new"}}


def test_naming_the_subcategory_it_has_is_no_correction(mia: User, run: Run) -> None:
    event = recording.submit(run.pk, replace(FULL, subcategory=run.subcategory), reviewer=mia).event
    assert event is not None and event.corrections == {}
    assert not now(run).subcategory_corrected


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"decision": ""}, "/decision"),
        ({"decision": "approved"}, "/decision"),
        ({"notes": "x" * 4001}, "/notes"),
        ({"missing_spec": ["x" * 81]}, "/missing_spec/0"),
    ],
)
def test_what_cannot_be_kept_is_refused(mia: User, run: Run, wrong: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as refusal:
        recording.submit(run.pk, replace(FULL, **wrong), reviewer=mia)
    assert refusal.value.problems[0].pointer == pointer
    assert not ReviewForm.objects.exists()


def test_all_that_cannot_be_kept_is_told_at_once(mia: User, run: Run) -> None:
    wrong = replace(
        FULL, decision="", notes="x" * 4001, missing_spec=["x" * 81], values={"/name": "\0", "/n": 1e99}
    )
    with pytest.raises(BadInput) as refusal:
        recording.submit(run.pk, wrong, reviewer=mia)
    places = ["/decision", "/missing_spec/0", "/notes", "/corrections/~1name", "/corrections/~1n"]
    assert [problem.pointer for problem in refusal.value.problems] == places


@pytest.mark.parametrize(
    ("status", "revision", "text"),
    [
        ("approved", 1, "only an adjudicator"),
        ("rejected", 1, "only an adjudicator"),
        ("generating", 1, "once its record is made"),
        ("queued", 0, "once its record is made"),
        ("failed", 0, "retry it first"),
        ("stopped", 1, "retry it first"),
    ],
)
def test_a_run_that_is_not_up_for_review(mia: User, run: Run, status: str, revision: int, text: str) -> None:
    Run.objects.update(status=status, revision=revision)
    with pytest.raises(Conflict, match=text):
        recording.submit(run.pk, FULL, reviewer=mia)
    with pytest.raises(Conflict, match=text):
        recording.save_half_filled(run.pk, mia, FULL)
    assert not ReviewForm.objects.exists() and not ReviewEvent.objects.exists()


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_a_service_decides_nothing_again(run: Run, status: str) -> None:
    Run.objects.update(status=status)
    with pytest.raises(Conflict, match="only an adjudicator"):
        recording.submit(run.pk, FULL, service="checker")
    assert now(run).status == status and not ReviewEvent.objects.exists()


def test_an_unknown_run(mia: User, run: Run) -> None:
    with pytest.raises(Run.DoesNotExist):
        recording.submit(uuid7(), FULL, reviewer=mia)


@pytest.mark.parametrize("revision", [0, 1, 3])
def test_another_revision_than_the_newest(mia: User, run: Run, revision: int) -> None:
    DraftFactory(run=run, revision=2)
    Run.objects.update(revision=2)
    with pytest.raises(Conflict, match=f"Revision {revision} was reviewed; the newest is 2"):
        recording.submit(run.pk, FULL, reviewer=mia, revision=revision)


def test_an_adjudicator_decides_again_and_both_reviews_stay(mia: User, judge: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=mia)
    recorded = recording.submit(run.pk, Fields("reject"), reviewer=judge)
    assert recorded.run.status == Status.REJECTED
    assert recorded.event is not None and recorded.event.sequence == 2
    again = recording.submit(run.pk, Fields("approve"), reviewer=judge)
    assert again.run.status == Status.APPROVED and again.form == recorded.form
    assert [e.decision for e in ReviewEvent.objects.all()] == ["approve", "reject", "approve"]


def test_who_does_not_hold_the_claim(mia: User, judge: User, run: Run) -> None:
    claim = queue.take(run.pk, judge)
    for who in ({"reviewer": mia}, {"service": "checker"}):
        with pytest.raises(Conflict, match="judge is reviewing this run"):
            recording.submit(run.pk, FULL, **who)
    Claim.objects.filter(pk=claim.pk).update(expires_at=Now())
    assert recording.submit(run.pk, FULL, reviewer=mia).run.status == Status.APPROVED
    assert not Claim.objects.exists()


def test_submitting_gives_the_claim_back(mia: User, run: Run) -> None:
    queue.take(run.pk, mia)
    recording.submit(run.pk, FULL, reviewer=mia)
    assert not Claim.objects.exists()


def test_the_same_form_sent_twice_is_one_review(mia: User, run: Run) -> None:
    first = recording.submit(run.pk, FULL, reviewer=mia, revision=1)
    second = recording.submit(run.pk, FULL, reviewer=mia, revision=1)
    assert (second.form, second.event) == (first.form, first.event)
    assert ReviewEvent.objects.count() == ReviewForm.objects.count() == 1


def test_the_same_revise_after_a_failed_round_is_another_one(mia: User, run: Run) -> None:
    again = replace(FULL, decision="revise")
    first = recording.submit(run.pk, again, reviewer=mia, revision=1)
    Run.objects.filter(pk=run.pk).update(status=Status.FAILED)  # its round made no draft
    second = recording.submit(run.pk, again, reviewer=mia, revision=1)
    assert second.form != first.form and ReviewEvent.objects.count() == 2
    assert (now(run).status, now(run).round) == ("queued", 3)


def test_the_same_revise_sent_twice_starts_one_round(mia: User, run: Run) -> None:
    for _ in range(2):
        assert recording.submit(run.pk, Fields("revise"), reviewer=mia, revision=1).run.round == 2
    assert ReviewEvent.objects.count() == 1


def test_a_different_second_form_is_refused(mia: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=mia)
    with pytest.raises(Conflict):
        recording.submit(run.pk, Fields("reject"), reviewer=mia)


def test_a_service_decides_and_teaches_nothing(run: Run) -> None:
    recorded = recording.submit(run.pk, FULL, service="checker")
    assert recorded.event is not None
    assert (recorded.event.source, recorded.event.reviewer, recorded.event.service) == ("machine", None, "checker")
    assert recorded.run.status == Status.APPROVED
    assert (recorded.run.last_reviewed_at, recorded.run.last_review_event_id) == (None, None)
    assert recorded.run.latest_review is not None and recorded.run.latest_review["source"] == "machine"


def test_a_service_after_a_person_leaves_the_persons_review_in_the_window(mia: User, run: Run) -> None:
    first = recording.submit(run.pk, FULL, reviewer=mia).event
    Run.objects.update(status=Status.AWAITING_REVIEW)
    recording.submit(run.pk, Fields("reject"), service="checker")
    assert first is not None and now(run).last_review_event_id == first.pk


@pytest.mark.parametrize("who", [{}, {"service": ""}])
def test_nobodys_review_is_an_error(run: Run, who: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        recording.submit(run.pk, FULL, **who)  # type: ignore[arg-type]


# --- Half-filled ----------------------------------------------------------------------------------


def test_half_filled_forms_are_kept_and_teach_nothing(mia: User, run: Run) -> None:
    recording.save_half_filled(run.pk, mia, Fields(notes="so far"))
    form = recording.save_half_filled(run.pk, mia, Fields(notes="so far, so good", bad_format=True))
    assert ReviewForm.objects.get() == form
    assert (form.notes, form.bad_format, form.decision, form.state) == ("so far, so good", True, "", "half_filled")
    assert not ReviewEvent.objects.exists() and now(run).latest_review is None
    submitted = recording.submit(run.pk, FULL, reviewer=mia).form
    assert submitted == form and submitted.notes == FULL.notes


def test_a_form_that_was_saved_meanwhile_is_not_overwritten(mia: User, run: Run) -> None:
    said = Fields(notes="one tab", missing_spec=["Weight"], values={"/name": "x"})
    first = recording.save_half_filled(run.pk, mia, said, base="")
    with pytest.raises(recording.Stale, match="changed in another tab"):
        recording.save_half_filled(run.pk, mia, Fields(notes="another tab"), base="")
    assert ReviewForm.objects.get().notes == "one tab"
    again = recording.save_half_filled(run.pk, mia, said, base="")
    assert again.version != first.version, "the same words are no other's"
    recording.save_half_filled(run.pk, mia, Fields(notes="read, and written anew"), base=again.version)
    kept = recording.save_half_filled(run.pk, mia, Fields(notes="by who names none"))
    assert ReviewForm.objects.get().version == kept.version


def test_a_late_half_filled_form_does_not_reopen_a_submitted_one(judge: User, run: Run) -> None:
    recording.submit(run.pk, FULL, reviewer=judge)
    kept = recording.save_half_filled(run.pk, judge, Fields(notes="late"))
    assert (kept.state, kept.notes) == ("submitted", FULL.notes)


# --- At once ----------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_ten_reviewers_deciding_at_once_leave_one_decision() -> None:
    run = DraftFactory().run
    reviewers = UserFactory.create_batch(10)
    answers = at_once(10, lambda n: recording.submit(run.pk, FULL, reviewer=reviewers[n], revision=1))
    assert sum(isinstance(answer, recording.Recorded) for answer in answers) == 1
    assert sum(isinstance(answer, Conflict) for answer in answers) == 9
    assert ReviewEvent.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_form_sent_ten_times_at_once_is_one_review() -> None:
    run, mia = DraftFactory().run, UserFactory()
    answers = at_once(10, lambda n: recording.submit(run.pk, Fields("revise"), reviewer=mia, revision=1).event.pk)  # type: ignore[union-attr]
    assert len(set(answers)) == 1 and ReviewEvent.objects.count() == 1
    assert now(run).round == 2
