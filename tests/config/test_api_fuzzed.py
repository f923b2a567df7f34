"""schemathesis, with all of its checks, on the published schema and a server over real HTTP.

FUZZ_SECONDS=1800 python -m pytest tests/config/test_api_fuzzed.py -s: the long form, by hand.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from config.asgi import application
from generation import prompts
from generation.models import Batch, Status
from learning import guidance
from review.exports import jobs
from review.exports.wanted import Wanted
from review.models import Placement, ReviewEvent
from review.tasks import write_exports
from tests.callers import Caller
from tests.config.conftest import ROOT
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.streams import serving

pytestmark = pytest.mark.django_db(transaction=True)
RUNS_OF_EACH = 6  # per status
SECONDS = int(os.environ.get("FUZZ_SECONDS", "45"))


@dataclass(frozen=True)
class Installation:
    """secret: of a key that may do everything. there: what there is, by the place in a call that names it."""

    secret: str
    there: dict[str, list[str | int]]


@pytest.fixture
def installed(settings: Settings, tmp_path: Path) -> Installation:
    """Something of everything, and runs enough that acts on them find some that are not over."""
    settings.API_CALLS_PER_MINUTE = 0
    settings.FOLDBACK_EXPORTS_DIR = tmp_path / "exports"
    prompts.seed()
    guidance.seed()
    person = User.objects.create_superuser("ad", password="secret")
    drills, batch = SubcategoryFactory(slug="drills"), Batch.objects.create(name="b")
    runs, events = [], []
    for status in Status.values:
        for number in range(RUNS_OF_EACH):
            draft = DraftFactory(run=RunFactory(subcategory=drills, status=status, revision=1, batch=batch))
            by = person if number % 2 else UserFactory()
            runs.append(draft.run)
            events.append(ReviewEventFactory(run=draft.run, draft=draft, reviewer=by))
    done = jobs.start(Wanted("reviews"))
    write_exports()
    open_one = jobs.start(Wanted("training"))
    return Installation(
        Caller(user=person).secret,
        {
            "path.run_id": [str(run.pk) for run in runs],
            "path.event_id": [event.pk for event in events],
            "path.batch_id": [str(batch.pk)],
            "path.export_id": [str(done.pk), str(open_one.pk)],
            "path.slug": ["drills"],
            "path.flow": ["item"],
            "path.stage": ["extraction", "supervisor"],
            "path.number": [1],
            "query.subcategory": ["drills"],
            "query.reviewed_by": ["ad"],
            "body.subcategory": ["drills"],
            "body.person": ["ad"],
        },
    )


def configured(installed: Installation, file: Path) -> Path:
    """schemathesis.toml, which takes what there is in most of its calls and anything in the others."""
    lines = [(ROOT / "schemathesis.toml").read_text()]
    for place, values in installed.there.items():
        lines.append(f"[dictionaries.{place.replace('.', '_')}]\nvalues = {json.dumps(values)}")
    lines.append("[parameters]")
    for place in installed.there:
        lines.append(f'"{place}" = {{ dictionary = "{place.replace(".", "_")}", probability = 0.8 }}')
    file.write_text("\n".join(lines))
    return file


def test_no_input_that_the_fuzzer_finds_breaks_the_api(installed: Installation, tmp_path: Path) -> None:
    config, before = configured(installed, tmp_path / "schemathesis.toml"), ReviewEvent.objects.count()
    with serving(application) as port:
        command = [
            *(str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(config)),
            *("run", f"http://127.0.0.1:{port}/api/v1/openapi.json", "--max-time", str(SECONDS)),
            *("--header", f"Authorization: Bearer {installed.secret}", "--checks", "all", "--no-color"),
            *("--request-timeout", "60", "--continue-on-failure", "--generation-database", "none"),
            *(("--seed", "7") if SECONDS < 60 else ()),
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if SECONDS >= 60:
        (Path("/tmp") / "schemathesis.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    assert ReviewEvent.objects.count() > before and Placement.objects.exists(), "no act came through"
