"""What the worker does for learning, now and then."""

from collections.abc import Collection
from uuid import UUID

from celery import shared_task

from learning import backtests, facts, telling
from learning.studio.proposals import finding, wording


@shared_task(name="learning.tasks.run_backtest")
def run_backtest(backtest_id: int) -> None:
    backtests.run(backtest_id)


@shared_task(name="learning.tasks.finish_backtests")
def finish_backtests() -> int:
    """Go on with backtests whose task was lost; how many there were."""
    lost = backtests.unfinished()
    for backtest_id in lost:
        backtests.run(backtest_id)
    return len(lost)


@shared_task(name="learning.tasks.fold_facts")
def fold_facts() -> int:
    """Count the runs that something happened to since the last time."""
    return facts.fold()


@shared_task(name="learning.tasks.find_proposals")
def find_proposals() -> int:
    """Look for what base prompts should say themselves, and have it worded; how many proposals came new."""
    made = finding.find()
    wording.write_waiting()
    return len(made)


def after_review(run_id: UUID, wanted: Collection[str]) -> None:
    """Have the triggers looked at that a review of this run may have moved: AFTER_REVIEW, once it stands.

    wanted: the types of webhooks that any endpoint wants.
    """
    if telling.TYPE in wanted:
        tell_triggers.delay(str(run_id))


@shared_task(name="learning.tasks.tell_triggers")
def tell_triggers(run_id: str) -> None:
    """After a review: tell of triggers that it moved."""
    telling.tell_of_run(UUID(run_id))


@shared_task(name="learning.tasks.tell_all_triggers")
def tell_all_triggers() -> int:
    """What a lost task left untold, and what moved without a review: a merged name, a corrected subcategory."""
    return telling.tell_all()
