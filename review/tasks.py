"""What the worker does for reviews, now and then."""

from celery import shared_task
from django.conf import settings

from review import assigning, bulk, recording, tallies
from review.exports import jobs
from review.models import BulkAct


@shared_task(name="review.tasks.write_missing_events")
def write_missing_events() -> int:
    """Repair the history: an event for every submitted review that has none."""
    return recording.write_missing_events()


@shared_task(name="review.tasks.fold_tallies")
def fold_tallies() -> int:
    """Put the changes of each count together, so that reading one stays a matter of a few rows."""
    return tallies.fold()


@shared_task(name="review.tasks.end_assignments")
def end_assignments() -> int:
    """Give runs back to everybody that their person did not come to in time."""
    return assigning.end_expired()


@shared_task(name="review.tasks.do_bulk")
def do_bulk(act_id: int) -> None:
    """One act on many runs to its end."""
    while bulk.go_on(act_id):
        pass


@shared_task(name="review.tasks.finish_bulk")
def finish_bulk() -> int:
    """Go on with acts whose task was lost; how many there were."""
    lost = list(BulkAct.objects.filter(finished_at__isnull=True).order_by("id").values_list("pk", flat=True)[:20])
    for act_id in lost:
        do_bulk(act_id)
    return len(lost)


@shared_task(name="review.tasks.write_exports")
def write_exports() -> int:
    """The exports that wait, also those whose worker died; how many were written."""
    return jobs.write_all()


@shared_task(name="review.tasks.forget_exports")
def forget_exports() -> int:
    """Delete the files that are old enough; how many exports that were."""
    return jobs.forget(settings.FOLDBACK_KEEP_EXPORTS_DAYS)
