"""A process whose clock is an hour off: every lease, wait, cap and sign of life goes by the database's time."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from config.heartbeat import beat
from generation import lease, spend
from generation.access import make_key
from generation.errors import Conflict
from generation.forgetting import forget_calls
from generation.models import ApiKey, Call, DailySpend, Run, WorkerHeartbeat
from generation.providers.base import ProviderError
from review import queue
from review.models import Claim
from tests.factories import RunFactory, UserFactory
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=[-1, 1], ids=["behind", "ahead"])
def off(request: pytest.FixtureRequest) -> Iterator[int]:
    """From here on the clock of this process is wrong by so many hours, and the database's is right."""
    with time_machine.travel(timezone.now() + timedelta(hours=request.param), tick=True):
        yield request.param


def from_now(model: Any, field: str) -> float:
    """Seconds until a stored time, by the database."""
    left = ExpressionWrapper(F(field) - Now(), output_field=DurationField())
    found: timedelta = model.objects.annotate(left=left).values_list("left", flat=True).get()
    return found.total_seconds()


def test_a_lease_lasts_as_long_as_it_should(off: int) -> None:
    run = RunFactory(status="queued")
    assert lease.take(run.pk) is not None
    assert 290 < from_now(Run, "lease_expires_at") <= 300


@pytest.mark.parametrize(("due_in", "taken"), [(-MINUTE, True), (MINUTE, False)], ids=["due", "not yet"])
def test_a_run_is_taken_when_it_is_due_and_no_earlier(off: int, due_in: timedelta, taken: bool) -> None:
    run = RunFactory(status="queued")
    Run.objects.update(next_attempt_at=Now() + due_in)
    assert (lease.take(run.pk) is not None) is taken


def test_a_run_waits_as_long_as_it_should(scripted: Scripted, off: int) -> None:
    run = new_run()
    scripted.play(extraction=ProviderError("rate_limited", "slow", retryable=True, retry_after=120))
    assert generated(run).status == "queued"
    assert 110 < from_now(Run, "next_attempt_at") <= 120


def test_a_claim_lasts_as_long_as_it_should_and_keeps_others_out_so_long(off: int) -> None:
    run, owner, other = RunFactory(), UserFactory(), UserFactory()
    queue.take(run.pk, owner, seconds=300)
    assert 290 < from_now(Claim, "expires_at") <= 300
    with pytest.raises(Conflict):
        queue.take(run.pk, other)
    queue.renew(run.pk, owner, seconds=600)
    assert 590 < from_now(Claim, "expires_at") <= 600
    Claim.objects.update(expires_at=Now() - MINUTE)
    assert queue.take(run.pk, other).reviewer == other


@pytest.mark.parametrize(("expires_in", "status"), [(-MINUTE, 401), (MINUTE, 200)], ids=["expired", "holds"])
def test_a_key_ends_when_it_should(off: int, expires_in: timedelta, status: int) -> None:
    _key, secret = make_key("ci")
    ApiKey.objects.update(expires_at=Now() + expires_in)
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    assert client.get("/api/v1/runs").status_code == status


def test_a_worker_lives_as_long_as_it_beats(off: int) -> None:
    beat("worker@here")
    assert -5 < from_now(WorkerHeartbeat, "seen_at") <= 0
    assert Client().get("/readyz").json()["checks"]["worker"] == "ok"
    WorkerHeartbeat.objects.update(seen_at=Now() - MINUTE)
    assert Client().get("/readyz").json()["checks"]["worker"] != "ok"


@pytest.mark.parametrize(("old", "forgotten"), [(MINUTE, 1), (-MINUTE, 0)], ids=["older", "younger"])
def test_calls_are_kept_as_long_as_they_should_be(off: int, old: timedelta, forgotten: int) -> None:
    call = Call.objects.create(run=RunFactory(), stage="extraction", provider="demo", user="x")
    Call.objects.filter(pk=call.pk).update(created_at=Now() - timedelta(days=30) - old)
    assert forget_calls(30) == forgotten


@pytest.mark.parametrize("hours", [-24, 24])
def test_the_days_cap_is_the_databases_day(settings: Any, hours: int) -> None:
    settings.FOLDBACK_SPEND_CAP_USD = Decimal(1)
    with time_machine.travel(timezone.now() + timedelta(hours=hours), tick=True):
        spend.add(Decimal(1), uuid.uuid4())
        with pytest.raises(spend.CapReached):
            spend.check()
        DailySpend.objects.update(day=F("day") + timedelta(days=hours // 24))
        spend.check()
