"""A task may die anywhere and run again; errors are retried, told, and never end in silence."""

import uuid

import pytest
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from generation import lease as leases
from generation import pipeline, runs
from generation.lease import Lost
from generation.models import Call, Run, Status
from generation.providers.base import ProviderError, Request, Usage
from generation.work import MAX_ATTEMPTS
from tests.factories import RunFactory
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted, record

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process is gone: nothing that catches errors sees it."""


def interrupted(run: Run, scripted: Scripted, stage: str, number: int) -> None:
    """Run the pipeline until the number-th call of a stage, where the process dies."""
    seen = 0

    def dies(request: Request) -> None:
        nonlocal seen
        seen += request.stage == stage
        if seen == number and request.stage == stage:
            raise Killed

    scripted.before = dies
    with pytest.raises(Killed):
        pipeline.generate(run.id)
    scripted.before = None
    Run.objects.filter(pk=run.pk).update(lease_expires_at=Now())  # time passes


@pytest.mark.parametrize(
    ("stage", "number"),
    [("extraction", 1), ("supervisor", 1), ("extraction", 2), ("supervisor", 2), ("supervisor", 3)],
)
def test_a_killed_task_is_taken_up_where_it_was(run: Run, scripted: Scripted, stage: str, number: int) -> None:
    scripted.play(extraction=[record(name=n) for n in "abc"], supervisor=["FAIL: 1", "FAIL: 2", "PASS"])
    interrupted(run, scripted, stage, number)
    generated(run)
    assert (run.status, run.judge_outcome) == ("awaiting_review", "corrected")
    assert [call.stage for call in run.calls.order_by("id")] == ["extraction", "supervisor"] * 3
    assert [draft.content["name"] for draft in run.drafts.order_by("revision")] == ["a", "b", "c"]
    assert list(run.judgements.values_list("cycle", "outcome")) == [(1, "failed"), (2, "failed"), (3, "passed")]
    assert run.input_tokens == 600


def test_a_stage_that_answered_is_not_asked_again_for_the_same_draft(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction="{}")
    interrupted(run, scripted, "formatter", 1)
    assert scripted.stages() == ["extraction", "formatter"]
    generated(run)
    assert scripted.stages() == ["extraction", "formatter", "formatter", "supervisor"]
    assert run.status == "awaiting_review" and run.input_tokens == 300


def test_a_draft_without_judgement_is_judged_and_not_made_again(run: Run, scripted: Scripted) -> None:
    interrupted(run, scripted, "supervisor", 1)
    Call.objects.all().delete()  # even if its call were gone
    generated(run)
    assert run.drafts.count() == 1 and run.calls.count() == 1


def test_only_one_worker_takes_a_run(run: Run, scripted: Scripted) -> None:
    first = leases.take(run.id)
    assert first is not None and leases.take(run.id) is None
    assert generated(run).status == "queued" and not scripted.requests


def test_an_expired_lease_is_taken_over_and_its_holder_walks_away(run: Run) -> None:
    first = leases.take(run.id)
    Run.objects.update(lease_expires_at=Now())
    second = leases.take(run.id)
    assert first is not None and second is not None
    with pytest.raises(Lost):
        first.move(Status.REVIEWING, round=1)
    with pytest.raises(Lost):
        first.update(suspicion="x")
    second.move(Status.REVIEWING, round=1)


@pytest.mark.parametrize("status", ["awaiting_review", "approved", "stopped", "failed"])
def test_a_finished_run_is_left_alone(scripted: Scripted, status: str) -> None:
    run = RunFactory(status=status)
    pipeline.generate(run.id)
    pipeline.generate(uuid.uuid4())
    run.refresh_from_db()
    assert run.status == status and not scripted.requests


def test_a_cancelled_run_stops_quietly(run: Run, scripted: Scripted) -> None:
    def cancels(request: Request) -> None:
        runs.cancel(run.id)

    scripted.before = cancels
    generated(run)
    assert (run.status, run.lease) == ("stopped", None)
    assert run.error == {"code": "cancelled", "detail": "cancelled by a person"}
    assert scripted.stages() == ["extraction"] and run.calls.count() == 1  # what was paid for is kept
    assert (run.input_tokens, run.output_tokens) == (100, 10)
    assert not run.drafts.exists()


def test_the_lease_is_renewed_before_each_call(run: Run, scripted: Scripted) -> None:
    left: list[float] = []

    def looks(request: Request) -> None:
        until = ExpressionWrapper(F("lease_expires_at") - Now(), output_field=DurationField())
        left.append(Run.objects.annotate(left=until).values_list("left", flat=True).get(pk=run.pk).total_seconds())
        Run.objects.update(lease_expires_at=Now())  # a call may take as long as the lease lasts

    scripted.play(extraction="{}")
    scripted.before = looks
    generated(run)
    assert scripted.stages() == ["extraction", "formatter", "supervisor"]
    assert min(left) > 290


@pytest.mark.parametrize(
    "answer",
    [record(name="a\\u0000b"), "\0" + record(), "\ud800" + record()],
    ids=["escaped", "NUL", "half a pair"],
)
def test_what_the_database_cannot_hold_stops_no_run(run: Run, scripted: Scripted, answer: str) -> None:
    scripted.play(extraction=answer)
    generated(run)
    assert (run.status, scripted.stages()) == ("awaiting_review", ["extraction", "supervisor"])


def test_a_reason_that_the_database_cannot_hold_is_kept_all_the_same(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=ProviderError("refused", "no\0 \ud800", usage=Usage(7), answer="\0"))
    generated(run)
    assert run.status == "failed" and run.error is not None and run.error["code"] == "refused"
    assert run.calls.get().input_tokens == run.input_tokens == 7
    scripted.play(supervisor=ProviderError("refused", "no\0"))
    assert generated(new_run()).status == "needs_human_review"


def test_a_passing_error_waits_and_comes_again(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=[ProviderError("overloaded", "busy", retryable=True, usage=Usage(7)), record()])
    generated(run)
    assert (run.status, run.attempts, run.lease) == ("queued", 1, None)
    assert run.error == {"code": "overloaded", "detail": "busy"} and run.next_attempt_at is not None
    Run.objects.update(next_attempt_at=Now())
    generated(run)
    assert (run.status, run.error) == ("awaiting_review", None)
    assert list(run.calls.filter(stage="extraction").values_list("attempt", "error__code")) == [
        (1, "overloaded"),
        (2, None),
    ]
    assert run.input_tokens == 207


@pytest.mark.parametrize(("asked", "least"), [(None, 4), (120.0, 110), (1e12, 3590)])
def test_the_wait_is_the_other_ends_or_ours(scripted: Scripted, asked: float | None, least: int) -> None:
    scripted.play(extraction=ProviderError("rate_limited", "slow", retryable=True, retry_after=asked))
    run = generated(new_run())
    assert run.next_attempt_at is not None
    assert least < (run.next_attempt_at - run.changed_at).total_seconds() < least + 20


@pytest.mark.parametrize(("begun", "seconds"), [(0, 5), (1, 10), (2, 20), (3, 40)])
def test_each_wait_is_twice_the_last(run: Run, scripted: Scripted, begun: int, seconds: int) -> None:
    scripted.play(extraction=ProviderError("overloaded", "busy", retryable=True))
    Run.objects.update(attempts=begun)
    generated(run)
    assert run.next_attempt_at is not None
    assert abs((run.next_attempt_at - run.changed_at).total_seconds() - seconds) < 1


@pytest.mark.parametrize("error", [ProviderError("overloaded", "busy", retryable=True), RuntimeError("a bug")])
@pytest.mark.parametrize("begun", [MAX_ATTEMPTS - 2, MAX_ATTEMPTS - 1, MAX_ATTEMPTS])
def test_the_last_try_ends_with_its_reason(run: Run, scripted: Scripted, error: Exception, begun: int) -> None:
    scripted.play(extraction=error)
    Run.objects.update(attempts=begun)
    generated(run)
    if begun < MAX_ATTEMPTS - 1:
        assert run.status == "queued"
        return
    code = "overloaded" if isinstance(error, ProviderError) else "internal_error"
    assert run.status == "failed" and run.error is not None
    assert run.error["code"] == (code if begun < MAX_ATTEMPTS else "gave_up")


def test_an_error_that_stays_fails_at_once(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=ProviderError("unauthorized", "bad key"))
    generated(run)
    assert (run.status, run.judge_outcome) == ("failed", "failed")
    assert run.error == {"code": "unauthorized", "detail": "bad key"} and run.finished_at
    assert run.calls.get().error == run.error


def test_a_fix_that_fails_leaves_the_draft_for_a_person(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=[record(), ProviderError("refused", "no")], supervisor="FAIL: x")
    generated(run)
    assert (run.status, run.revision) == ("failed", 1) and run.is_up_for_review


def test_a_judge_that_is_away_on_the_last_try_is_unavailable(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor=ProviderError("timeout", "slow", retryable=True))
    generated(run)
    assert run.status == "queued"
    Run.objects.update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=None)
    generated(run)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")


def test_a_flow_that_is_gone_fails_with_its_reason(scripted: Scripted) -> None:
    run = generated(RunFactory(flow="gone", status="queued", revision=0))
    assert run.status == "failed" and run.error is not None and run.error["code"] == "bad_input"


def test_an_answer_is_progress_and_attempts_count_from_there(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor=[ProviderError("overloaded", "busy", retryable=True), "PASS"])
    Run.objects.update(attempts=MAX_ATTEMPTS - 1)
    generated(run)
    assert (run.status, run.attempts) == ("queued", 1), "the extraction answered"


@pytest.mark.parametrize("code", ["gave_up", "internal_error"])
def test_a_run_that_was_given_up_goes_on_where_it_was(run: Run, scripted: Scripted, code: str) -> None:
    interrupted(run, scripted, "supervisor", 1)
    Run.objects.update(status="failed", error={"code": code, "detail": "x"}, lease=None)
    runs.retry(run.id)
    generated(run)
    assert (run.status, run.round) == ("awaiting_review", 1)
    assert scripted.stages() == ["extraction", "supervisor", "supervisor"]
