"""What a log line may hold: an address without its query, the kind of an error without its words, and no key."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from django.conf import settings
from django.test import Client

from generation import runs
from tests import people
from tests.callers import Caller
from tests.config.test_environment import ROOT
from tests.factories import RunFactory

SECRET = "Zwitschermaschine"
FAILING_TASK = f"""
import django
django.setup()
from config.celery import app
from django_structlog.celery.receivers import CeleryReceiver
receiver = CeleryReceiver()  # signals hold it weakly
receiver.connect_worker_signals()

@app.task(name="broken")
def broken(word):
    raise ValueError("Failing row contains " + word)

broken.apply(args=["{SECRET}"])
"""


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[io.StringIO]:
    """All lines from DEBUG on, as the JSON format of production writes them."""
    caplog.set_level(logging.DEBUG)
    written, handler = io.StringIO(), logging.StreamHandler()
    handler.setStream(written)
    logging_settings: Any = settings.LOGGING
    given = dict(logging_settings["formatters"]["foldback"])
    given["processors"] = [given["processors"][0], *settings.LOG_RENDERERS["json"]]
    handler.setFormatter(given.pop("()")(**given))
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)
    structlog.contextvars.clear_contextvars()


def requests(log: io.StringIO) -> list[str]:
    lines = [json.loads(line) for line in log.getvalue().splitlines() if line.startswith("{")]
    return [line["request"] for line in lines if line["event"] in ("request_finished", "request_failed")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "query"),
    [("/admin/generation/run/", "q"), ("/queue/", "subcategory"), ("/nothing/", "x"), ("/admin/login/", "next")],
)
def test_what_somebody_searched_for_is_not_logged(log: io.StringIO, path: str, query: str) -> None:
    people.admin().get(path, {query: SECRET})
    assert requests(log) == [f"GET {path}"]
    assert SECRET not in log.getvalue()


@pytest.mark.django_db
def test_neither_key_nor_filter_of_a_call_is_logged(log: io.StringIO) -> None:
    call = Caller()
    call.get("/runs", external_id=SECRET)
    call.get("/runs", key=call.secret)  # refused: there is no such parameter
    call("POST", "/runs", {"flow": SECRET})
    assert requests(log) == ["GET /api/v1/runs"] * 2 + ["POST /api/v1/runs"]
    assert SECRET not in log.getvalue() and call.secret not in log.getvalue()


@pytest.mark.django_db
def test_a_call_and_a_page_that_break_are_logged_without_words_and_key(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(runs, "retry", broken)
    monkeypatch.setattr("review.views.run.run_or_404", broken)
    call, run = Caller(), RunFactory()
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {call.secret}"})
    answers = [client.post(f"/api/v1/runs/{run.pk}/retry")]
    client.force_login(people.a_reviewer())
    answers.append(client.get(f"/runs/{run.pk}/?x={SECRET}"))
    assert [answer.status_code for answer in answers] == [500, 500]
    told = log.getvalue() + "".join(answer.content.decode() for answer in answers)
    assert "RuntimeError" in told
    assert SECRET not in told and call.secret not in told


@pytest.mark.django_db
def test_metrics_hold_neither_keys_nor_texts() -> None:
    call = Caller()
    call("POST", "/runs", {"flow": "item", "source": {"title": SECRET}, "external_id": SECRET})
    told = Client(headers={"Authorization": f"Bearer {call.secret}"}).get("/metrics").content.decode()
    assert 'foldback_runs{status="queued"} 1.0' in told
    assert SECRET not in told and call.secret not in told and call.key.prefix not in told


@pytest.mark.parametrize("form", ["json", "line"])
def test_a_task_that_fails_is_logged_without_the_words_of_its_error(form: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "FOLDBACK_LOG_FORMAT": form}
    done = subprocess.run(
        [sys.executable, "-c", FAILING_TASK], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert "task_failed" in done.stderr and "ValueError" in done.stderr
    assert SECRET not in done.stderr + done.stdout
