"""What a scrape costs: as much after ten thousand runs as after one thousand."""

import json
import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config import metrics
from generation import spend
from generation.models import (
    DeferredCall,
    Prompt,
    PromptVersion,
    Run,
    Status,
    Submission,
    WebhookDelivery,
    WebhookEndpoint,
)
from generation.webhooks import outbox
from tests.factories import RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db


def history(runs: int, status: Status = Status.APPROVED, days: int = 9, **given: Any) -> None:
    then, subcategory = timezone.now() - timedelta(days=days), SubcategoryFactory()
    Run.objects.bulk_create(
        [
            Run(
                flow="item",
                subcategory=subcategory,
                source={},
                status=status,
                created_at=then,
                changed_at=then,
                **given,
            )
            for _ in range(runs)
        ],
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE generation_run")


def blocks() -> int:
    """Blocks of the database that one scrape touches."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert Client().get("/metrics").status_code == 200
    total = 0
    with connection.cursor() as cursor:
        for query in captured.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query['sql']}")
                (told,) = cursor.fetchone()
                (plan,) = json.loads(told) if isinstance(told, str) else told
                total += plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
    return total


def test_a_scrape_touches_no_more_of_the_database_as_history_grows() -> None:
    RunFactory.create_batch(3)
    history(1000)
    small = blocks()
    history(9000)
    assert blocks() <= small + 30  # an index may have grown by a level


def test_nor_as_what_waits_or_failed_grows_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST", 50)

    def grow(runs: int) -> None:
        history(runs, Status.QUEUED, days=2, next_attempt_at=timezone.now() + timedelta(days=1))
        history(runs, Status.QUEUED, days=2)
        history(runs, Status.FAILED, days=2)
        history(runs, Status.FAILED, days=2, revision=1)

    grow(500)
    small = blocks()
    grow(4500)
    assert blocks() <= small + 30


def test_a_postponed_run_waits_for_no_worker_until_it_is_due() -> None:
    parked = RunFactory(status=Status.QUEUED, error={"code": "batch_spend_cap", "detail": ""})
    Run.objects.filter(pk=parked.pk).update(
        changed_at=timezone.now() - timedelta(days=9), next_attempt_at=timezone.now() + timedelta(days=300)
    )
    late = RunFactory(status=Status.QUEUED, error={"code": "rate_limited", "detail": ""})
    Run.objects.filter(pk=late.pk).update(next_attempt_at=timezone.now() + timedelta(seconds=30))
    assert number(scraped(), "foldback_queue_age_seconds") == 0
    assert [line for line in scraped() if line.startswith("foldback_runs_postponed")] == [
        'foldback_runs_postponed{reason="batch_spend_cap"} 1.0',
        'foldback_runs_postponed{reason="rate_limited"} 1.0',
    ]
    Run.objects.filter(pk=late.pk).update(next_attempt_at=timezone.now() - timedelta(minutes=2))
    assert 120 <= number(scraped(), "foldback_queue_age_seconds") < 150
    fresh = RunFactory(status=Status.QUEUED)
    Run.objects.filter(pk=fresh.pk).update(changed_at=timezone.now() - timedelta(minutes=5))
    assert 300 <= number(scraped(), "foldback_queue_age_seconds") < 330
    Run.objects.filter(pk=parked.pk).update(
        status=Status.REVIEWING, next_attempt_at=timezone.now() - timedelta(minutes=9)
    )
    assert 540 <= number(scraped(), "foldback_queue_age_seconds") < 570, "its answer came, and nobody goes on"


def test_what_waits_for_the_lower_price() -> None:
    prompt = Prompt.objects.create(flow="item", stage="extraction")
    version = PromptVersion.objects.create(prompt=prompt, number=1)
    given = {"round": 1, "cycle": 1, "stage": "extraction", "number": 1, "prompt_version": version, "size": 2}
    lines = scraped()
    assert number(lines, "foldback_deferred_age_seconds") == 0
    long_ago = timezone.now() - timedelta(hours=2)
    ours = Submission.objects.create(provider="anthropic", requests=1, state="waiting", created_at=long_ago)
    for submission in (None, None, ours):
        state = "sent" if submission else "waiting"
        DeferredCall.objects.create(
            run=RunFactory(), parcel={}, provider="anthropic", state=state, submission=submission, **given
        )
    assert [line for line in scraped() if line.startswith("foldback_deferred{")] == [
        'foldback_deferred{state="waiting"} 2.0',
        'foldback_deferred{state="sent"} 1.0',
    ]
    assert 7200 <= number(scraped(), "foldback_deferred_age_seconds") < 7230
    Submission.objects.update(state="over")
    assert number(scraped(), "foldback_deferred_age_seconds") < 30


def test_how_generation_ended_in_the_last_hour() -> None:
    def ended(status: Status, revision: int, hours: float) -> None:
        run = RunFactory(status=status, revision=revision)
        Run.objects.filter(pk=run.pk).update(changed_at=timezone.now() - timedelta(hours=hours))

    for status, revision, hours in (
        (Status.FAILED, 0, 0.5),
        (Status.FAILED, 1, 0.5),
        (Status.FAILED, 0, 2),
        (Status.FAILED, 1, 2),
        (Status.AWAITING_REVIEW, 1, 0.1),
        (Status.AWAITING_REVIEW, 1, 1.1),
        (Status.STOPPED, 0, 0.1),
    ):
        ended(status, revision, hours)
    found = [line.partition("status=")[2] for line in scraped() if line.startswith("foldback_runs_ended_of_hour{")]
    assert found == ['"awaiting_review"} 1.0', '"needs_human_review"} 0.0', '"failed"} 2.0', '"stopped"} 1.0']


def test_counting_ends_at_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST", 5)
    history(9, Status.QUEUED, days=0)
    assert 'foldback_runs{status="queued"} 5.0' in scraped()


def test_calls_and_events_are_counted_as_they_are_numbered() -> None:
    before = scraped()
    run: Any = RunFactory()
    run.calls.create(stage="extraction", provider="demo")
    assert number(scraped(), "foldback_calls_total") == number(before, "foldback_calls_total") + 1


def test_today_is_the_databases() -> None:
    spend.add(Decimal("1.25"), uuid.uuid4())
    with time_machine.travel(timezone.now() + timedelta(hours=24), tick=True):
        assert number(scraped(), "foldback_spend_today_usd") == 1.25


def test_a_receiver_that_takes_nothing_is_seen() -> None:
    assert number(scraped(), "foldback_webhook_queue_age_seconds") == 0
    endpoint = WebhookEndpoint.objects.create(url="https://example.org/", types=["run.finished"])
    outbox.emit("run.finished", {})
    WebhookDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=10))
    outbox.emit("run.finished", {})
    WebhookEndpoint.objects.update(failing_since=timezone.now())
    given_up = WebhookDelivery.objects.latest("id")
    WebhookDelivery.objects.filter(pk=given_up.pk).update(state="failed", next_attempt_at=None)
    assert 'foldback_webhook_deliveries{state="waiting"} 1.0' in scraped()
    assert 'foldback_webhook_deliveries{state="failed"} 1.0' in scraped()
    assert 600 <= number(scraped(), "foldback_webhook_queue_age_seconds") < 660
    assert number(scraped(), "foldback_webhook_endpoints_failing") == 1
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(enabled=False)
    assert number(scraped(), "foldback_webhook_queue_age_seconds") == 0


def scraped() -> list[str]:
    return Client().get("/metrics").content.decode().splitlines()


def number(lines: list[str], name: str) -> float:
    return next(float(line.split(" ")[1]) for line in lines if line.startswith(f"{name} "))
