"""A stop marker ends more than its run: no further queued run of the batch starts."""

import structlog
from django.db.models.functions import Now

from generation.models import JudgeOutcome, NodeEvent, Run, Status
from generation.webhooks import events

log = structlog.get_logger(__name__)


def stop_batch(run: Run) -> None:
    """Stop the runs of its batch that wait in the queue, in the caller's transaction; those under way go on."""
    if run.batch_id is None:
        return
    waiting = Run.objects.filter(batch=run.batch_id, status=Status.QUEUED, lease__isnull=True)
    ids = list(waiting.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    why = f"its batch was stopped by run {run.short_id}: nothing is left to do"
    Run.objects.filter(pk__in=ids).update(
        status=Status.STOPPED,
        judge_outcome=JudgeOutcome.SKIPPED,
        error={"code": "batch_stopped", "detail": why},
        changed_at=Now(),
        finished_at=Now(),
        next_attempt_at=None,
    )
    NodeEvent.objects.bulk_create(
        NodeEvent(run_id=waiting, kind=NodeEvent.Kind.STATUS, node=Status.STOPPED) for waiting in ids
    )
    events.runs_finished(ids)
    if ids:
        log.info("batch_stopped", runs=len(ids))
