"""What the worker does for reviews, now and then."""

from celery import shared_task

from review import assigning, recording, tallies


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
