"""Collecting: answers of the provider become calls, each as soon as it is read, and their runs go on."""

from dataclasses import asdict, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from generation import progress, providers
from generation.calls import Prepared, Said, chat, used
from generation.clock import now as database_now
from generation.deferring.parcel import unpack
from generation.deferring.parking import LONGEST, bring_back
from generation.errors import BadInput
from generation.flows import flow as flow_named
from generation.models import DeferredCall, Run, Submission
from generation.models.run import IN_PROGRESS
from generation.providers.base import Answer, Batches, Paused, ProviderError, Usage
from generation.reading import storable_json
from generation.run_trail import keep, node
from generation.trail import Place

log = structlog.get_logger(__name__)
LEASE = timedelta(minutes=30)  # far longer than the results of one submission take
PIECE = 100  # rows read at once


def collect() -> int:
    """Look at every submission that waits, and take in what has ended; how many answers.

    Safe to be killed anywhere: what is a call already is not waited for any more.
    """
    nobody = Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=Now())
    waiting = Submission.objects.filter(nobody, state=Submission.State.WAITING)
    collected = 0
    for submission in waiting.order_by("created_at"):
        if waiting.filter(pk=submission.pk).update(lease_expires_at=Now() + LEASE):
            try:
                collected += _look(submission, providers.batches(submission.provider))
            except ProviderError as error:
                log.warning("deferred_not_read", code=error.code)
                _give_up_some_day(submission, error)
            finally:
                Submission.objects.filter(pk=submission.pk).update(lease_expires_at=None)
    return collected


def _look(submission: Submission, batches: Batches) -> int:
    rows = DeferredCall.objects.filter(submission=submission)
    if not batches.has_ended(submission.name):
        if not submission.cancelled and not rows.filter(run__status__in=IN_PROGRESS).exists():
            batches.cancel(submission.name)  # nobody waits for any of it
            Submission.objects.filter(pk=submission.pk).update(cancelled=True)
        return 0
    collected = 0
    for item, result in batches.results(submission.name):
        row = _row(submission, item)
        if row is not None:
            _take_in(row, batches, result)
            collected += 1
    for row in rows.select_related("run", "prompt_version", "submission").iterator(PIECE):
        gone = ProviderError("malformed", "the provider's batch ended without an answer to this", retryable=True)
        fail(row, unpack(row), gone)
    _over(submission)
    log.info("deferred_collected", requests=submission.requests, answers=collected)
    return collected


def _row(submission: Submission, item: str) -> DeferredCall | None:
    try:
        key = UUID(item)
    except ValueError:
        return None
    found = DeferredCall.objects.select_related("run", "prompt_version", "submission")
    return found.filter(pk=key, submission=submission).first()


def _take_in(row: DeferredCall, batches: Batches, result: Any) -> None:
    prepared = unpack(row)
    try:
        answer = batches.read(prepared.request, result, row.turns)
    except ProviderError as error:
        fail(row, prepared, error)
        return
    if isinstance(answer, Answer):
        _settle(row, prepared, answer)
    elif row.run.is_in_progress:
        _go_on(row, answer)
    else:
        fail(row, prepared, ProviderError("batch_cancelled", "cancelled before its end", usage=answer.usage))


def _settle(row: DeferredCall, prepared: Prepared, answer: Answer) -> None:
    """The answer as a call in place of the row, and its run goes on."""
    with transaction.atomic():
        if not _is_open(row):
            return
        said = _said(row, answer)
        row.delete()
        _trace(row, prepared, said)
        keep(prepared, said)
        _tell(row)
        bring_back(row.run_id, attempts=0)


def _go_on(row: DeferredCall, paused: Paused) -> None:
    """Have it sent again, with what was answered so far."""
    used = Usage(**row.used) + paused.usage
    with transaction.atomic():
        if _is_open(row):
            row.state, row.submission, row.reserved_usd = DeferredCall.State.WAITING, None, Decimal(0)
            row.turns, row.used = [*row.turns, storable_json(paused.turn)], asdict(used)
            row.save(update_fields=["state", "submission", "reserved_usd", "turns", "used"])


def fail(row: DeferredCall, prepared: Prepared | None, error: ProviderError) -> None:
    """Keep the failed call; its run goes on and hears of it. prepared: None where not even that can be read."""
    with transaction.atomic():
        if not _is_open(row):
            return
        if prepared is not None:
            answer = Answer(error.answer, prepared.request.model, error.usage, error.sent)
            said = _said(row, answer, {"code": error.code, "detail": error.detail})
            _trace(row, prepared, said)
            keep(prepared, said)
        _tell(row, error.code)
        told = {"code": error.code, "detail": error.detail, "retryable": error.retryable}
        mine = DeferredCall.objects.filter(pk=row.pk)
        mine.update(
            state=DeferredCall.State.FAILED,
            error=told,
            submission=None,
            reserved_usd=0,
            parcel={},
            turns=[],
            used={},
        )
        bring_back(row.run_id)
        mine.exclude(run__status__in=IN_PROGRESS).delete()  # nobody is left to hear of it


def _is_open(row: DeferredCall) -> bool:
    """Lock the run and then the row; False where another worker was faster."""
    Run.objects.select_for_update(of=("self",)).only("pk").get(pk=row.run_id)
    same = DeferredCall.objects.filter(pk=row.pk, state=row.state, submission=row.submission_id)
    return same.select_for_update(of=("self",)).only("pk").first() is not None


def _said(row: DeferredCall, answer: Answer, error: dict[str, str] | None = None) -> Said:
    """With what its earlier turns used; it took as long as the provider had it."""
    submission = row.submission
    sent = {**answer.sent, "economy": True, "batch": submission.name if submission else ""}
    whole = replace(answer, usage=Usage(**row.used) + answer.usage, sent=sent)
    waited = database_now() - submission.created_at if submission else timedelta()
    return Said(row.provider, whole, round(waited / timedelta(milliseconds=1)), error, batched=True)


def _trace(row: DeferredCall, prepared: Prepared, said: Said) -> None:
    """A span as a call that is answered at once has, below who collects; how long it waited is told, not drawn."""
    with chat(row.provider, prepared.request) as kept:
        kept.set({"foldback.run.id": str(row.run_id), "foldback.stage": row.stage})
        kept.set({"foldback.waited_ms": said.duration_ms, "gen_ai.response.model": said.answer.model})
        kept.set(used(said.answer.usage))
        if said.error:
            kept.fail(said.error["code"])


def _tell(row: DeferredCall, detail: str = "") -> None:
    """Those who watch the run."""
    try:
        stage = flow_named(row.run.flow).stages[row.stage]
    except (BadInput, KeyError):
        return
    progress.completed(row.run_id, **node(Place.of(stage, row.cycle), row.round), detail=detail)


def _over(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(state=Submission.State.OVER, ended_at=Now())


def _give_up_some_day(submission: Submission, error: ProviderError) -> None:
    """One that the provider does not know any more, long after it must be over."""
    if error.retryable or database_now() - submission.created_at < LONGEST:
        return
    rows = DeferredCall.objects.filter(submission=submission)
    for row in rows.select_related("run", "prompt_version", "submission").iterator(PIECE):
        fail(row, unpack(row), ProviderError("timeout", "the provider no longer knows its batch", retryable=True))
    _over(submission)
