"""schemathesis, with all of its checks, on the published schema and a server over real HTTP.

FUZZ_SECONDS=1800 python -m pytest tests/config/test_api_fuzzed.py -s: the long form, by hand.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from config.asgi import application
from generation import prompts
from generation.models import Status
from learning import guidance
from tests.callers import Caller
from tests.config.conftest import ROOT
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory
from tests.streams import serving

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = int(os.environ.get("FUZZ_SECONDS", "45"))


@pytest.fixture
def secret(settings: Settings) -> str:
    """A key that may do everything, on an installation where there is something of everything."""
    settings.API_CALLS_PER_MINUTE = 0
    prompts.seed()
    guidance.seed()
    for slug in ("drills", "scales"):
        drills = SubcategoryFactory(slug=slug)
        for status in Status.values:
            draft = DraftFactory(run=RunFactory(subcategory=drills, status=status))
            ReviewEventFactory(run=draft.run, draft=draft)
    return Caller(user=User.objects.create_superuser("ad", password="secret")).secret


def test_no_input_that_the_fuzzer_finds_breaks_the_api(secret: str, tmp_path: Path) -> None:
    with serving(application) as port:
        command = [
            *(str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(ROOT / "schemathesis.toml")),
            *("run", f"http://127.0.0.1:{port}/api/v1/openapi.json", "--max-time", str(SECONDS)),
            *("--header", f"Authorization: Bearer {secret}", "--checks", "all", "--no-color"),
            *("--request-timeout", "10", "--continue-on-failure", "--generation-database", "none"),
            *(("--seed", "7") if SECONDS < 60 else ()),
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if SECONDS >= 60:
        (Path("/tmp") / "schemathesis.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
