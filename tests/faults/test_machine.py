"""The short forms of the long series, each with a database and workers of its own, and every promise held."""

import json
import os
import subprocess
import sys
from typing import Any

from tests.faults.installation import ROOT

OWN = ("DATABASE_URL", "CELERY_BROKER_URL", "FOLDBACK_DATA_DIR", "PYTEST_CURRENT_TEST")


def told_by(module: str, *arguments: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3600,
    )  # fmt: skip
    assert done.stdout, done.stderr[-3000:]
    told = dict(json.loads(done.stdout))
    assert told["problems"] == [] and done.returncode == 0
    return told


def test_three_kills_lose_double_and_pay_twice_for_nothing() -> None:
    told = told_by("tests.faults.kills", "--kills", "3", "--runs", "12", "--seed", "1")
    assert told["kills"] == 3 and told["runs"] >= 12
    assert told["drafts"] == told["judgements"] > told["runs"]
    assert told["events"] == told["reviews"] >= told["runs"]


def test_what_holds_runs_up_may_be_taken_away() -> None:
    told = told_by("tests.faults.outages")
    assert len(told["seconds"]) == 7
    assert told["requests"] == told["answers_stored"], "each answer was paid for once and kept"


def test_a_kill_between_review_and_webhook_loses_nothing_and_repeats_the_id() -> None:
    told = told_by("tests.faults.webhooks", "--reviews", "6", "--kills", "2")
    assert told["messages"] == told["delivered"] == told["reviews"] == 6
    assert told["killed_after_commit"] == 3 and told["workers_killed"] == 2
    assert told["requests"] >= 6 + 2  # what was on its way when its worker died came again
