"""The pipeline: a queued run to the end of its round, whatever happens on the way."""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from generation import lease as leases
from generation import spend
from generation.database_faults import drop_if_cut
from generation.deferring.parking import Deferred, attempt_over, park
from generation.errors import BadInput
from generation.flows import flow as flow_named
from generation.flows.base import NoDraft, Stopped
from generation.lease import Lease, Lost
from generation.loop import Ending, loop
from generation.models import JudgeOutcome, Run, Status
from generation.new_run import wants_judge
from generation.providers.base import ProviderError
from generation.run_trail import RunTrail
from generation.spans import Attributes, mark, span
from generation.steps import RunSteps
from generation.stopping import stop_batch
from generation.trail import Trail
from generation.webhooks import events
from generation.work import MAX_ATTEMPTS, Work

log = structlog.get_logger(__name__)
FIRST_WAIT = 5  # seconds before the second attempt; doubled each time
LONGEST_WAIT = 3600  # seconds: whatever the other end asks for, nobody waits for a run that sleeps for years


@dataclass(frozen=True)
class Postponed:
    """Not the end: the run goes back to the queue, to be taken no earlier than `until`."""

    until: Any  # a database expression
    error: dict[str, str]
    attempts: int


def generate(run_id: uuid.UUID) -> None:
    """Generate and judge a queued run. Returns quietly where another worker has it, or it was cancelled.

    Safe to run again after a kill at any point: stored calls, drafts and judgements are taken up, not made anew.
    """
    lease = leases.take(run_id)
    if lease is None:
        return
    run = Run.objects.select_related("subcategory").get(pk=run_id)
    told: Attributes = {"foldback.run.id": str(run_id), "foldback.flow": run.flow, "foldback.round": run.round}
    with structlog.contextvars.bound_contextvars(run=str(run_id)), span(f"generate {run.flow}", told):
        try:
            _attempt(lease, run)
        except Lost:
            log.info("run_lost")  # cancelled, or taken over: whoever did that has the say


def _attempt(lease: Lease, run: Run) -> None:
    try:
        ending = outcome(run, RunTrail(run, lease))
    except Deferred as deferred:
        park(lease, run, deferred)
        mark({"foldback.status": "parked"})
        return
    with transaction.atomic():
        _leave(lease, run, ending)
        attempt_over(run)


def _leave(lease: Lease, run: Run, outcome: Ending | Postponed) -> None:
    """The last write of this attempt."""
    if isinstance(outcome, Postponed):
        log.warning("run_postponed", code=outcome.error["code"], attempt=run.attempts)
        mark({"foldback.status": "postponed", "foldback.reason": outcome.error["code"]})
        lease.give_up(
            Status.QUEUED,
            round=run.round,
            error=outcome.error,
            next_attempt_at=outcome.until,
            attempts=outcome.attempts,
        )
        return
    with transaction.atomic():
        lease.give_up(
            outcome.status,
            round=run.round,
            judge_outcome=outcome.judge_outcome,
            error=outcome.error,
            finished_at=Now(),
        )
        events.runs_finished([run.pk])
        if outcome.status == Status.STOPPED:
            stop_batch(run)
    log.info("run_finished", status=outcome.status, outcome=outcome.judge_outcome)
    mark({"foldback.status": outcome.status.value, "foldback.outcome": outcome.judge_outcome.value})


def outcome(run: Run, trail: Trail) -> Ending | Postponed:
    """How this attempt ends: every error but a lost lease becomes an ending or another attempt.

    Raises Lost, and Deferred where the run's answer is not there yet.
    """
    if run.attempts > MAX_ATTEMPTS:
        return _failed("gave_up", f"given up after {MAX_ATTEMPTS} attempts; the last one ended without a word")
    try:
        return _round(Work(run, flow_named(run.flow), trail))
    except NoDraft as error:
        return _failed(error.code, error.detail)
    except Stopped as stop:
        return _stopped(trail, stop)
    except BadInput as error:  # a flow that is gone, a prompt that cannot be filled
        return _failed("bad_input", str(error))
    except spend.CapReached:
        reason = {"code": "spend_cap", "detail": "today's spend cap is reached; goes on after midnight UTC"}
        return Postponed(spend.next_day(), reason, attempts=0)
    except spend.BatchCapReached:
        reason = {"code": spend.BATCH_CAP, "detail": "its batch's spend cap is reached; goes on when it is raised"}
        return Postponed(spend.a_year_on(), reason, attempts=0)
    except ProviderError as error:
        if not error.retryable:
            return _failed(error.code, error.detail)
        return _again(run, error.code, error.detail, at_least=error.retry_after or 0)
    except (Lost, Deferred):
        raise
    except Exception as error:  # the task's boundary
        log.exception("run_broke", attempt=run.attempts)
        drop_if_cut()  # what follows needs a live one
        return _again(run, "internal_error", f"{type(error).__name__}; the log has the rest")


def _again(run: Run, code: str, detail: str, at_least: float = 0) -> Ending | Postponed:
    """Another attempt later; after the last one, failure with its reason."""
    if run.attempts >= MAX_ATTEMPTS:
        return _failed(code, f"{detail} (attempt {run.attempts} of {MAX_ATTEMPTS})")
    seconds = min(max(at_least, FIRST_WAIT * 2 ** (run.attempts - 1)), LONGEST_WAIT)
    return Postponed(Now() + timedelta(seconds=seconds), {"code": code, "detail": detail}, run.attempts)


def _stopped(trail: Trail, stop: Stopped) -> Ending:
    """Stopped before anything was judged, or after a failed judgement; neither is a pass."""
    judged = JudgeOutcome.FAILED if trail.judgements() else JudgeOutcome.SKIPPED
    return Ending(Status.STOPPED, judged, {"code": stop.code, "detail": stop.detail})


def _failed(code: str, detail: str) -> Ending:
    return Ending(Status.FAILED, JudgeOutcome.FAILED, {"code": code, "detail": detail})


def _round(work: Work) -> Ending:
    """Prepare, loop, and what a person must look at although the loop ended well."""
    if work.run.status == Status.QUEUED:
        work.trail.move(Status.GENERATING)
    trouble = work.flow.prepare(work)
    steps = RunSteps(work)
    if not _judging(work):
        steps.draft(1, None)
        ending = Ending(Status.AWAITING_REVIEW, JudgeOutcome.SKIPPED)
    else:
        ending = loop(steps, work.flow.policy, _fixes(work))
    if trouble is None or ending.status != Status.AWAITING_REVIEW:
        return ending
    error = {"code": trouble.code, "detail": trouble.detail}
    return Ending(Status.NEEDS_HUMAN_REVIEW, ending.judge_outcome, error)


def _judging(work: Work) -> bool:
    """Whether the judge is asked: if it is wanted, and if it can be.

    Why it cannot be is told with the run's progress.
    """
    if not wants_judge(work.run.options, work.flow.policy):
        return False
    why = work.flow.skips(work)
    if why:
        work.tell_skipped(why)
    return not why


def _fixes(work: Work) -> int:
    """Fixes at most: the request's word, else the installation's, else the flow's policy."""
    for wanted in (work.run.options.get("review_max_fix_attempts"), settings.FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS):
        if wanted is not None:
            return max(0, int(wanted))
    return work.flow.policy.fixes
