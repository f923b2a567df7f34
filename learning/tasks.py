"""What the worker does for learning."""

from uuid import UUID

from celery import shared_task

from generation.webhooks import outbox
from learning import telling


def after_review(run_id: UUID) -> None:
    """Have the triggers looked at that a review of this run may have moved: AFTER_REVIEW, once it stands."""
    if outbox.is_wanted(telling.TYPE):
        tell_triggers.delay(str(run_id))


@shared_task(name="learning.tasks.tell_triggers")
def tell_triggers(run_id: str) -> None:
    """After a review: tell of triggers that it moved."""
    telling.tell_of_run(UUID(run_id))


@shared_task(name="learning.tasks.tell_all_triggers")
def tell_all_triggers() -> int:
    """What a lost task left untold, and what moved without a review: a merged name, a corrected subcategory."""
    return telling.tell_all()
