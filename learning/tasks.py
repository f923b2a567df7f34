"""What the worker does for learning, now and then."""

from celery import shared_task

from learning import achieved


@shared_task(name="learning.tasks.fold_achieved")
def fold_achieved() -> int:
    """Count what versions of prompts achieved since the last time."""
    return achieved.fold()
