"""What is done now and then: under names that there are, often enough, and though a clock is an hour off."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from config.celery import app

# task → seconds between two of it, at most: what a person may have to wait for a repair
AT_MOST = {
    "generation.tasks.sweep": 30,
    "generation.tasks.sweep_trials": 60,
    "generation.tasks.send_deferred": 60,
    "generation.tasks.collect_deferred": 120,
    "generation.tasks.sweep_webhooks": 15,
    "learning.tasks.tell_all_triggers": 600,
    "review.tasks.write_missing_events": 60,
    "review.tasks.end_assignments": 60,
    "review.tasks.finish_bulk": 60,
    "learning.tasks.finish_backtests": 60,
    "review.tasks.fold_tallies": 300,
    "learning.tasks.fold_facts": 300,
    "learning.tasks.find_proposals": 3600,
    "review.tasks.write_exports": 60,
    "review.tasks.forget_exports": 3600,
    "generation.tasks.forget": 3600,
}
ENTRIES: dict[str, Any] = {str(entry["task"]): entry for entry in settings.CELERY_BEAT_SCHEDULE.values()}


def test_each_repair_is_scheduled_and_nothing_else() -> None:
    assert ENTRIES.keys() == AT_MOST.keys()


@pytest.mark.parametrize("task", AT_MOST)
def test_it_is_a_task_that_comes_often_enough_and_outlives_a_clock_that_is_off(task: str) -> None:
    app.loader.import_default_modules()
    assert task in app.tasks
    entry = ENTRIES[task]
    assert entry["schedule"] <= AT_MOST[task]
    spare = timedelta(seconds=entry["options"]["expires"]) - timedelta(hours=1)
    assert spare >= timedelta(seconds=entry["schedule"]), "a worker that is an hour ahead would drop each of them"
