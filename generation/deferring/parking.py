"""Parking: a run lets go of its worker, waits for its answer, and finds it when it comes back."""

import json
import uuid
from datetime import timedelta
from typing import Any

import structlog
from celery import current_app
from django.db import transaction
from django.db.models.functions import Now

from generation import providers
from generation.calls import Prepared, Step
from generation.deferring.parcel import pack
from generation.flows.base import Stage
from generation.lease import Lease
from generation.models import DeferredCall, Run
from generation.providers.base import ProviderError

log = structlog.get_logger(__name__)
# A parked run is brought back by its answer; the sweep looks at it all the same once a batch must be over.
LONGEST = timedelta(hours=26)


class Deferred(Exception):
    """The run's answer is not there yet. prepared: the request to be parked; None where it waits already."""

    def __init__(self, number: int, prepared: Prepared | None = None) -> None:
        self.number, self.prepared = number, prepared
        super().__init__("waits for the provider's batch interface")


def is_deferred(run: Run, stage: Stage) -> bool:
    """Whether this stage of the run waits for the lower price: in its first round alone, later ones have a person
    waiting; and never an agent program.
    """
    economy = run.options.get("economy") is True and run.round == 1 and not stage.agent
    return economy and providers.has_batches(run.provider)


def look(step: Step, number: int) -> None:
    """Raises Deferred where the step's request waits already, and the ProviderError of one that failed.

    That is raised again and again until this attempt is over: a run that comes back goes through its steps anew.
    """
    row = _rows(step).filter(number=number).defer("parcel").first()
    if row is None:
        return
    if row.state != DeferredCall.State.FAILED:
        raise Deferred(number)
    assert row.error is not None, "set with the state"
    raise ProviderError(row.error["code"], row.error["detail"], retryable=row.error["retryable"])


def park(lease: Lease, run: Run, deferred: Deferred) -> None:
    """Let go of the run, and keep its request, in one transaction. Raises Lost; then nothing is kept or asked."""
    with transaction.atomic():
        # First: it locks the run, as collecting an answer does.
        lease.park(Now() + LONGEST, attempts=max(run.attempts - 1, 0))
        if deferred.prepared is not None:
            _keep(run, deferred.number, deferred.prepared)
        elif not _waits(run):
            bring_back(run.id)  # it was answered just now
    log.info("run_parked", stage=deferred.prepared.step.stage if deferred.prepared else "")


def _waits(run: Run) -> bool:
    rows = DeferredCall.objects.filter(run=run, round=run.round)
    return rows.exclude(state=DeferredCall.State.FAILED).exists()


def _keep(run: Run, number: int, prepared: Prepared) -> None:
    parcel, step = pack(prepared), prepared.step
    DeferredCall.objects.create(
        run=run,
        round=step.round,
        cycle=step.cycle,
        stage=step.stage,
        number=number,
        provider=run.provider,
        prompt_version=prepared.version,
        parcel=parcel,
        size=len(json.dumps(parcel)),
    )


def bring_back(run_id: uuid.UUID, **fields: Any) -> bool:
    """Have a parked run go on, in the caller's transaction; False where it is over, or in hand."""
    back = Run.objects.in_progress().filter(pk=run_id, lease__isnull=True)
    if not back.update(next_attempt_at=Now(), **fields):
        return False
    # By its name: the tasks import the pipeline, which parks. Where the broker is away the sweep finds the run.
    transaction.on_commit(
        lambda: current_app.send_task("generation.tasks.generate_run", [str(run_id)]), robust=True
    )
    return True


def attempt_over(run: Run) -> None:
    """The next attempt asks anew for what failed in this one, in the caller's transaction."""
    if run.options.get("economy") is True:
        DeferredCall.objects.filter(run=run, state=DeferredCall.State.FAILED).delete()


def drop(run_ids: list[uuid.UUID]) -> None:
    """Forget what was not sent yet of runs that are over, in the caller's transaction; the rest is paid for."""
    DeferredCall.objects.filter(run__in=run_ids, turns=[]).exclude(state=DeferredCall.State.SENT).delete()


def _rows(step: Step) -> Any:
    return DeferredCall.objects.filter(run_id=step.run_id, round=step.round, cycle=step.cycle, stage=step.stage)
