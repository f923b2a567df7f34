"""Runs: making them, and every change of their status that is not generation's or a reviewer's."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Q, When
from django.db.models.functions import Now
from pydantic import ValidationError

from generation import idempotency, search
from generation.deferring import parking
from generation.errors import BadInput, Conflict
from generation.flows import flow as flow_named
from generation.intake import RunIn, check_source
from generation.models import (
    ApiKey,
    Batch,
    Call,
    Draft,
    JudgeOutcome,
    Run,
    Status,
)
from generation.models.run import IN_PROGRESS, RETRYABLE
from generation.new_run import UNDRAWN, build
from generation.progress import status_changed
from generation.spans import mark
from generation.tasks import generate_run
from generation.webhooks import events

BREAKS = ("gave_up", "internal_error")  # errors that say nothing about the record
IMPORTED = "import"  # who made the draft of a run whose record was made elsewhere
# What a run forgets when it begins anew; drafts, calls, judgements and events stay.
ANEW: Mapping[str, Any] = {
    "judge_outcome": JudgeOutcome.PENDING,
    "error": None,
    "started_at": None,
    "finished_at": None,
    "lease": None,
    "lease_expires_at": None,
    "next_attempt_at": None,
    "attempts": 0,
    "reviews_needed": None,
    "reviews_done": 0,
    "reviews_from": None,
    "reviewers_disagree": False,
}
NEXT_ROUND: Mapping[str, Any] = {
    **ANEW,
    "round": F("round") + 1,
    "trigger_state": None,
    "first_trigger_state": Case(When(round=1, then=F("trigger_state")), default=F("first_trigger_state")),
    "degradations": [],
}


def create(
    body: RunIn,
    *,
    batch: Batch | None = None,
    api_key: ApiKey | None = None,
    idempotency_key: str = "",
    author: User | None = None,
) -> Run:
    """A queued run, made for `author` or else the key's person.

    The same idempotency key with the same body gives the same run, with another a Conflict.
    """
    check_source(body)
    author = author or (api_key.user if api_key else None)

    def make() -> dict[str, Any]:
        with transaction.atomic():
            return {"run": str(_insert(build(body, batch, author)).pk)}

    made = idempotency.once(api_key, idempotency_key, body.digest, make)
    return Run.objects.get(pk=made["run"])


def _insert(run: Run) -> Run:
    run.save(force_insert=True)
    search.keep([run.id])
    enqueue(run.id)
    return run


def enqueue(run_id: uuid.UUID) -> None:
    """Hand the run to a worker once the transaction stands. Where the broker is away the sweep finds the run."""
    mark({"foldback.run.id": str(run_id)})
    transaction.on_commit(lambda: generate_run.delay(str(run_id)), robust=True)


def adopt(body: RunIn, output: Any, *, made_at: datetime | None = None, author: User | None = None) -> Run:
    """A run whose record was made elsewhere: kept as its first draft, judged by nobody, awaiting review. It has no
    part in the holdout.

    output: the record, in the flow's shape; BadInput where it has another. made_at: when it was made; else now.
    """
    check_source(body)
    try:
        record = flow_named(body.flow).record.model_validate(output)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, "/output") from None
    run = build(body, author=author)
    for name, value in UNDRAWN.items():
        setattr(run, name, value)
    run.status, run.judge_outcome = Status.AWAITING_REVIEW, JudgeOutcome.SKIPPED
    run.model, run.revision = "", 1  # the provider stays: it makes the next round, should a person ask for one
    at = made_at or Now()
    run.created_at = run.changed_at = run.finished_at = at
    with transaction.atomic():
        run.save(force_insert=True)
        Draft.objects.create(
            run=run, revision=1, content=record.model_dump(mode="json"), made_by=IMPORTED, created_at=at
        )
    run.refresh_from_db()
    return run


def cancel(run_id: uuid.UUID) -> Run:
    """Stop a run in progress; what it has made so far stays. The worker notices before its next step."""
    reason = {"code": "cancelled", "detail": "cancelled by a person"}
    with transaction.atomic():
        run = _moved(
            run_id,
            to=Status.STOPPED,
            from_=IN_PROGRESS,
            verb="cancelled",
            error=reason,
            finished_at=Now(),
            lease=None,
            lease_expires_at=None,
            next_attempt_at=None,
        )
        parking.drop([run_id])
        events.runs_finished([run_id])
    return run


def retry(run_id: uuid.UUID) -> Run:
    """Queue a failed, stopped or rejected run again.

    A run that broke off goes on where it was, and pays for no finished call twice. One that came to
    its end (rejected, or failed by its content) would only end the same way: it starts the next round.
    """
    with transaction.atomic():
        run = _get(Run.objects.select_for_update(), run_id)
        fields = dict(ANEW if _broke_off(run) else NEXT_ROUND)
        run = _moved(run_id, to=Status.QUEUED, from_=RETRYABLE, verb="retried", **fields)
        enqueue(run_id)
    return run


def _broke_off(run: Run) -> bool:
    if Call.objects.filter(run=run, round=run.round, forgotten_at__isnull=False).exists():
        return False  # there is nothing left to go on with
    if run.reviews_done:
        return False  # people have said something of this round: the next record is another round's
    if run.status == Status.STOPPED or (run.error or {}).get("code") in BREAKS:
        return True
    last = Call.objects.filter(run=run, round=run.round).order_by("-id").first()
    return run.status == Status.FAILED and (last is None or last.error is not None)


def start_round(run_id: uuid.UUID) -> None:
    """Queue the next round after a person's revise, in the caller's transaction; all that came before stays."""
    finished = [status for status in Status.values if status not in IN_PROGRESS]
    with transaction.atomic():
        _moved(run_id, to=Status.QUEUED, from_=finished, verb="revised", **NEXT_ROUND)
        enqueue(run_id)


def _moved(run_id: uuid.UUID, *, to: Status, from_: Iterable[str], verb: str, **fields: Any) -> Run:
    with transaction.atomic():
        moved = Run.objects.move(run_id, to=to, from_=list(from_), **fields)
        run = _get(Run.objects.all(), run_id)
        if not moved:
            raise Conflict(f"a run that is {Status(run.shown_status).label} cannot be {verb}")
        status_changed(run_id, to, run.round, fields.get("error"))
    return run


def _get(runs: Any, run_id: uuid.UUID) -> Run:
    found: Run | None = runs.filter(Q(pk=run_id)).first()
    if found is None:
        raise Run.DoesNotExist(f"no run {run_id}")
    return found
