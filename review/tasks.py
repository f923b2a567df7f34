"""What the worker does for reviews, now and then."""

from celery import shared_task

from review import recording


@shared_task(name="review.tasks.write_missing_events")
def write_missing_events() -> int:
    """Repair the history: an event for every submitted review that has none."""
    return recording.write_missing_events()
