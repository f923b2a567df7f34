"""Alive, ready and measured, without a login; each thing that is missing is named and makes it not ready."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from config import broker
from config.heartbeat import beat, leave
from generation.models import Status, WorkerHeartbeat
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture
def whole(settings: Settings) -> None:
    """All that readiness asks for."""
    settings.EMBEDDED_BROKER = True
    broker.install()
    beat("worker@here")


def checks(client: Client) -> tuple[int, dict[str, str]]:
    response = client.get("/readyz")
    told = response.json()
    assert told["ready"] == (response.status_code == 200)
    return response.status_code, {name: what for name, what in told["checks"].items() if what != "ok"}


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_alive_asks_nothing(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").status_code == 200
    assert client.post("/healthz").status_code == 405


@pytest.mark.usefixtures("whole")
def test_ready(client: Client) -> None:
    assert checks(client) == (200, {})
    told = client.get("/readyz").json()["checks"]
    assert told == dict.fromkeys(("database", "migrations", "append_only", "broker", "worker"), "ok")


@pytest.mark.usefixtures("whole")
def test_a_worker_is_missed_after_thirty_seconds_of_database_time(client: Client) -> None:
    WorkerHeartbeat.objects.update(seen_at=Now() - timedelta(seconds=29))
    assert checks(client) == (200, {})
    WorkerHeartbeat.objects.update(seen_at=Now() - timedelta(seconds=31))
    assert checks(client) == (503, {"worker": "no sign of life for 30 s"})
    beat("worker@here")
    assert checks(client) == (200, {})
    leave("worker@here")
    assert checks(client)[0] == 503


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(
    ("sql", "what"),
    [
        (
            "ALTER TABLE review_reviewevent DISABLE TRIGGER review_reviewevent_no_change",
            {"append_only": "not protected: review_reviewevent"},
        ),
        ("DROP SCHEMA pgmq CASCADE", {"broker": "its tables are missing: run python -m config.prepare"}),
        (
            "DELETE FROM django_migrations WHERE app = 'sessions'",
            {"migrations": "1 not applied: run manage.py migrate"},
        ),
    ],
)
def test_what_is_missing_is_named(client: Client, sql: str, what: dict[str, str]) -> None:
    execute(sql)
    assert checks(client) == (503, what)


@pytest.mark.usefixtures("whole")
def test_a_broker_that_cannot_be_reached_is_told_without_its_address(client: Client, settings: Settings) -> None:
    settings.EMBEDDED_BROKER = False
    settings.CELERY_BROKER_URL = "redis://:geheim@127.0.0.1:1/0"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {}
    status, missing = checks(client)
    assert (status, list(missing)) == (503, ["broker"])
    assert "geheim" not in missing["broker"] and "127.0.0.1" not in missing["broker"]


def test_metrics_count_runs_and_tell_how_long_they_wait(client: Client) -> None:
    RunFactory.create(status=Status.QUEUED, changed_at=Now() - timedelta(minutes=2))
    RunFactory.create_batch(2, status=Status.AWAITING_REVIEW, changed_at=Now() - timedelta(hours=1))
    beat("worker@here")
    response = client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain")
    lines = dict(
        line.rsplit(" ", 1) for line in response.content.decode().splitlines() if not line.startswith("#")
    )
    assert lines['foldback_runs{status="queued"}'] == "1.0"
    assert lines['foldback_runs{status="awaiting_review"}'] == "2.0"
    assert lines['foldback_runs_of_day{status="approved"}'] == "0.0"
    assert lines['foldback_runs_of_day{status="queued"}'] == "1.0"
    assert lines["foldback_review_queue"] == "2.0"
    assert float(lines["foldback_calls_total"]) >= 0 <= float(lines["foldback_review_events_total"])
    assert 119 < float(lines["foldback_queue_age_seconds"]) < 180
    assert 3599 < float(lines["foldback_review_queue_age_seconds"]) < 3660
    assert lines["foldback_spend_today_usd"] == "0.0"
    assert lines["foldback_reviews_without_event"] == "0.0"
    assert lines["foldback_workers_alive"] == "1.0"
