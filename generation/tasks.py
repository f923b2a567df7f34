"""Generation's tasks: thin, by id. The run's row is the truth; a task that is lost is found by the sweep."""

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from generation import idempotency, search, sign_ins
from generation.forgetting import forget_calls
from generation.models import Run
from generation.models.run import IN_PROGRESS
from generation.pipeline import generate

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
    now = Now()
    nobody = Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=now)
    due = Q(next_attempt_at__lte=now) | Q(next_attempt_at__isnull=True, changed_at__lt=now - TASK_EXPECTED)
    with transaction.atomic():
        stale = Run.objects.filter(nobody & due, status__in=IN_PROGRESS).order_by("changed_at", "id")
        ids = list(stale.select_for_update(skip_locked=True).values_list("id", flat=True)[:SWEEP_ROWS])
        Run.objects.filter(pk__in=ids).update(lease=None, lease_expires_at=now + TASK_UNDER_WAY)
        if ids:
            search.keep(ids)
    for run_id in ids:
        generate_run.delay(str(run_id))
    return len(ids)


@shared_task(name="generation.tasks.forget")
def forget() -> int:
    """What is kept no longer: sessions, sign-in counts and idempotency keys that are over, texts of old calls. How
    many of those."""
    call_command("clearsessions")
    sign_ins.forget_old()
    idempotency.forget_old()
    return forget_calls(settings.FOLDBACK_KEEP_CALLS_DAYS) if settings.FOLDBACK_KEEP_CALLS_DAYS > 0 else 0
