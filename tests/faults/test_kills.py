"""The short form of the long series: three kills among twenty runs, and every promise held."""

import json
import os
import subprocess
import sys

from tests.faults.installation import ROOT

OWN = ("DATABASE_URL", "CELERY_BROKER_URL", "FOLDBACK_DATA_DIR", "PYTEST_CURRENT_TEST")


def test_three_kills_lose_double_and_pay_twice_for_nothing() -> None:
    command = [sys.executable, "-m", "tests.faults.kills", "--kills", "3", "--runs", "20", "--seed", "1"]
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.stdout, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["problems"] == []
    assert (told["kills"], done.returncode) == (3, 0)
    assert told["runs"] >= 20 and told["drafts"] == told["judgements"] > told["runs"]
    assert told["events"] == told["reviews"] >= told["runs"]
