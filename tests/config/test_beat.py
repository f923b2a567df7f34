"""The scheduler sends by name, and loads nothing of what it sends."""

import json
import logging
import os
import subprocess
import sys

from django.conf import settings

from config.celery import app

LOADED = """
import json, logging, sys
from config.celery import app
app.Beat().init_loader()
logging.getLogger("celery.beat").error("told")
print(json.dumps(sorted(sys.modules)))
"""


def test_every_scheduled_name_is_a_task() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)


def test_it_loads_no_model_and_logs_as_everything_does() -> None:
    environment = {**os.environ, "FOLDBACK_LOG_FORMAT": "json"}
    done = subprocess.run(
        [sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "celery.beat" in loaded
    assert loaded.isdisjoint({"generation.models", "generation.tasks", "review.models", "anthropic"})
    assert json.loads(done.stderr.splitlines()[-1])["level"] == logging.getLevelName(logging.ERROR).lower()
