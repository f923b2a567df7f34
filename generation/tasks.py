"""Generation's tasks: thin, by id. The run's row is the truth; a task that is lost is found by the sweep."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from generation import idempotency, search, sign_ins
from generation.deferring.collecting import collect
from generation.deferring.recovering import recover
from generation.deferring.sending import send
from generation.forgetting import forget_calls, forget_webhooks
from generation.models import Run, TriedRun
from generation.models.run import IN_PROGRESS
from generation.pipeline import generate
from generation.trials.working import work_on

SWEEP_ROWS = 200
TASK_EXPECTED = timedelta(seconds=30)  # a new run's own task has come by then
TASK_UNDER_WAY = timedelta(minutes=15)  # how long a swept run is left alone: its task may wait in a long queue


@shared_task(name="generation.tasks.generate_run")
def generate_run(run_id: str) -> None:
    generate(UUID(run_id))


@shared_task(name="generation.tasks.enqueue_batch")
def enqueue_batch(batch_id: str) -> int:
    """A task for every run of a new batch, so that who imports waits for one message and not for a thousand."""
    ids = list(
        Run.objects.in_progress()
        .filter(batch=UUID(batch_id), lease=None)
        .order_by("id")
        .values_list("id", flat=True)
    )
    search.keep(ids)
    for run_id in ids:
        generate_run.delay(str(run_id))
    return len(ids)


@shared_task(name="generation.tasks.sweep")
def sweep() -> int:
    """Enqueue runs that nobody works on: due again, never begun, or held by a worker that died. Returns how many.

    A swept run carries no lease but an expiry: it is not swept again before that.
    """
    with transaction.atomic():
        ids = _lost(Run)
        if ids:
            search.keep(ids)
    for run_id in ids:
        generate_run.delay(str(run_id))
    return len(ids)


def _lost(model: type[Run] | type[TriedRun]) -> list[Any]:
    """Rows that nobody works on though they are due, in the caller's transaction; theirs is the next task."""
    now, rows = Now(), model._default_manager
    nobody = Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=now)
    due = Q(next_attempt_at__lte=now) | Q(next_attempt_at__isnull=True, changed_at__lt=now - TASK_EXPECTED)
    stale = rows.filter(nobody & due, status__in=IN_PROGRESS).order_by("changed_at", "id")
    ids = list(stale.select_for_update(skip_locked=True).values_list("id", flat=True)[:SWEEP_ROWS])
    rows.filter(pk__in=ids).update(lease=None, lease_expires_at=now + TASK_UNDER_WAY)
    return ids


@shared_task(name="generation.tasks.try_run")
def try_run(tried_id: int) -> None:
    work_on(tried_id)


@shared_task(name="generation.tasks.sweep_trials")
def sweep_trials() -> int:
    """As `sweep`, for the runs of trials."""
    with transaction.atomic():
        ids = _lost(TriedRun)
    for tried_id in ids:
        try_run.delay(tried_id)
    return len(ids)


@shared_task(name="generation.tasks.send_deferred")
def send_deferred() -> int:
    """Hand what waits for the lower price to the provider. How many requests."""
    recover()
    return send()


@shared_task(name="generation.tasks.collect_deferred")
def collect_deferred() -> int:
    """Take in what the provider has answered. How many answers."""
    return collect()


@shared_task(name="generation.tasks.forget")
def forget() -> int:
    """What is kept no longer: sessions, sign-in counts and idempotency keys that are over, old webhook messages,
    texts of old calls. How many of the last."""
    call_command("clearsessions")
    sign_ins.forget_old()
    idempotency.forget_old()
    if settings.FOLDBACK_KEEP_WEBHOOKS_DAYS > 0:
        forget_webhooks(settings.FOLDBACK_KEEP_WEBHOOKS_DAYS)
    return forget_calls(settings.FOLDBACK_KEEP_CALLS_DAYS) if settings.FOLDBACK_KEEP_CALLS_DAYS > 0 else 0
