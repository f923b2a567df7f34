"""What waits is signed and sent; what failed comes again under the same id, later each time, not for ever."""

import json
from datetime import timedelta
from typing import Any

import pytest
import structlog
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from pytest_django.fixtures import Settings
from standardwebhooks import Webhook, WebhookVerificationError

from generation.models import WebhookDelivery, WebhookEndpoint, WebhookMessage
from generation.webhooks import delivering, outbox, signing
from generation.webhooks.delivering import MOST_ATTEMPTS, RESTS, WAITS, deliver, due
from tests.generation.webhooks.conftest import later, to
from tests.receiver import Got, Receiver, Says

pytestmark = pytest.mark.django_db


def verified(endpoint: WebhookEndpoint, got: Got, number: int = 1) -> Any:
    return Webhook(signing.secret(endpoint.pk, number)).verify(got.body, got.headers)


def waiting() -> WebhookDelivery:
    return WebhookDelivery.objects.get(state="waiting")


def test_a_message_arrives_signed_as_the_specification_says(endpoint: WebhookEndpoint, there: Receiver) -> None:
    outbox.emit("run.finished", {"run": "Größe", "status": "approved"})
    assert deliver(endpoint.pk) is False
    [got] = there.got
    body = verified(endpoint, got)
    message = WebhookMessage.objects.get()
    assert got.path == "/hook" and got.headers["content-type"] == "application/json"
    assert got.id == str(message.pk)
    assert body["type"] == "run.finished" and body["data"] == {"run": "Größe", "status": "approved"}
    assert body["timestamp"] == message.created_at.isoformat().replace("+00:00", "Z")
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.last_status) == ("delivered", 1, 204)
    assert delivery.delivered_at and delivery.next_attempt_at is None
    assert not due().exists()
    deliver(endpoint.pk)
    assert len(there.got) == 1


def test_another_endpoints_secret_does_not_verify(endpoint: WebhookEndpoint, there: Receiver) -> None:
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    with pytest.raises(WebhookVerificationError):
        verified(to(there.url), there.got[0])


@pytest.mark.parametrize(
    ("hours", "holds"), [pytest.param(23, True, id="for a day"), pytest.param(25, False, id="and no longer")]
)
def test_after_a_rotation_both_secrets_sign(
    endpoint: WebhookEndpoint, there: Receiver, hours: int, holds: bool
) -> None:
    rotated = Now() - timedelta(hours=hours)
    WebhookEndpoint.objects.update(secret_number=2, rotated_at=rotated)
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    verified(endpoint, there.got[0], number=2)
    if holds:
        verified(endpoint, there.got[0], number=1)
    else:
        with pytest.raises(WebhookVerificationError):
            verified(endpoint, there.got[0], number=1)


def test_secrets_of_an_older_key_of_the_installation_hold(
    endpoint: WebhookEndpoint, there: Receiver, settings: Settings
) -> None:
    old = signing.secret(endpoint.pk, 1)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "k" * 50, [settings.SECRET_KEY]
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    Webhook(old).verify(there.got[0].body, there.got[0].headers)
    verified(endpoint, there.got[0])
    assert signing.secret(endpoint.pk, 1) != old


def test_the_same_id_and_bytes_come_again_until_they_are_taken(endpoint: WebhookEndpoint, there: Receiver) -> None:
    there.answer(500, 503, 200)
    outbox.emit("run.finished", {"b": 1, "a": [2, 3]})
    for _ in range(3):
        deliver(endpoint.pk)
        later()
    assert len(set(there.ids)) == 1 and len(there.got) == 3
    assert len({got.body for got in there.got}) == 1
    for got in there.got:
        verified(endpoint, got)
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.last_error) == ("delivered", 3, "")


def test_each_wait_is_the_specifications_and_the_last_failure_is_the_end(
    endpoint: WebhookEndpoint, there: Receiver
) -> None:
    there.answer(500)
    outbox.emit("run.finished", {})
    with structlog.testing.capture_logs() as logs:
        for number, wait in enumerate(WAITS, 1):
            deliver(endpoint.pk)
            delivery = WebhookDelivery.objects.annotate(wait=F("next_attempt_at") - Now()).get()
            seconds = delivery.wait.total_seconds()
            assert wait - 3 < seconds <= wait * 1.2, f"attempt {number}"
            later()
        deliver(endpoint.pk)
    assert WebhookDelivery.objects.get().state == "failed"
    assert len(there.got) == MOST_ATTEMPTS == 10
    assert "webhook_given_up" in [line["event"] for line in logs if line["log_level"] == "error"]
    later()
    deliver(endpoint.pk)
    assert len(there.got) == 10


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [
        ("120", 110, 130),
        ("999999999999999", 3590, 3610),
        ("-5", 4, 7),
        ("soon", 4, 7),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 4, 7),
        ("Wed, 21 Oct 2099 07:28:00 GMT", 3590, 3610),
    ],
)
def test_retry_after_is_heard_within_bounds(
    endpoint: WebhookEndpoint, there: Receiver, given: str, least: int, most: int
) -> None:
    there.says = lambda got: Says(503, {"Retry-After": given})
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    found = WebhookEndpoint.objects.annotate(rest=F("resting_until") - Now()).get()
    wait = WebhookDelivery.objects.annotate(wait=F("next_attempt_at") - Now()).get()
    for told in (found.rest, wait.wait):
        assert least <= told.total_seconds() <= most


def test_an_endpoint_that_keeps_failing_rests_as_a_whole(endpoint: WebhookEndpoint, there: Receiver) -> None:
    there.answer(500)
    for n in range(20):
        outbox.emit("run.finished", {"n": n})
    for number, rest in enumerate(RESTS, 1):
        deliver(endpoint.pk)
        deliver(endpoint.pk)  # it rests: nothing goes out
        assert len(there.got) == number
        found = WebhookEndpoint.objects.annotate(rest=F("resting_until") - Now()).get()
        assert rest - 3 < found.rest.total_seconds() <= rest
        assert not due().exists()
        WebhookEndpoint.objects.update(resting_until=None)
    assert len(set(there.ids)) == len(RESTS)  # each message has its turn
    there.answer(200)
    deliver(endpoint.pk)
    assert not WebhookDelivery.objects.exclude(state="delivered").exists()  # also those that waited for long
    endpoint.refresh_from_db()
    assert (endpoint.failures, endpoint.failing_since, endpoint.resting_until) == (0, None, None)


def test_gone_is_gone(endpoint: WebhookEndpoint, there: Receiver) -> None:
    there.answer(410)
    outbox.emit("run.finished", {})
    with structlog.testing.capture_logs() as logs:
        deliver(endpoint.pk)
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.switched_off) == (False, "gone")
    assert logs[-1]["event"] == "webhook_endpoint_switched_off"
    later()
    assert not due().exists()
    outbox.emit("run.finished", {})
    assert WebhookMessage.objects.count() == 1


@pytest.mark.parametrize(("days", "enabled"), [(3, True), (4, False)])
def test_days_of_failures_switch_it_off_and_keep_what_waits(
    endpoint: WebhookEndpoint, there: Receiver, days: int, enabled: bool
) -> None:
    there.answer(500)
    WebhookEndpoint.objects.update(failures=9, failing_since=Now() - timedelta(days=days))
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    endpoint.refresh_from_db()
    assert endpoint.enabled is enabled
    assert endpoint.switched_off == ("" if enabled else "failing")
    assert waiting().attempts == 1


def test_one_worker_at_a_time(endpoint: WebhookEndpoint, there: Receiver) -> None:
    outbox.emit("run.finished", {})
    WebhookEndpoint.objects.update(busy_until=Now() + timedelta(seconds=5))
    assert deliver(endpoint.pk) is False and there.got == []
    WebhookEndpoint.objects.update(busy_until=Now() - timedelta(seconds=1))  # it died
    deliver(endpoint.pk)
    assert len(there.got) == 1
    endpoint.refresh_from_db()
    assert (endpoint.lease, endpoint.busy_until) == (None, None)


@pytest.mark.django_db(transaction=True)
def test_what_comes_during_a_turn_is_sent_in_it(endpoint: WebhookEndpoint, there: Receiver) -> None:
    def says(got: Got) -> Says:
        if len(there.got) < 5:
            outbox.emit("run.finished", {"n": len(there.got)})
            connection.close()  # that of the receiver's thread
        return Says()

    there.says = says
    outbox.emit("run.finished", {"n": 0})
    assert deliver(endpoint.pk) is False
    assert [json.loads(got.body)["data"]["n"] for got in there.got] == [0, 1, 2, 3, 4]


def test_a_turn_ends_so_that_others_have_theirs(
    endpoint: WebhookEndpoint, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "TURN_SECONDS", 0.2)
    there.says = lambda got: Says(after=0.15)
    for n in range(5):
        outbox.emit("run.finished", {"n": n})
    assert deliver(endpoint.pk) is True  # there is more to do
    assert 1 <= len(there.got) < 5


def test_resending_repeats_the_id(endpoint: WebhookEndpoint, there: Receiver) -> None:
    outbox.emit("run.finished", {})
    deliver(endpoint.pk)
    WebhookDelivery.objects.update(state="failed", attempts=10)
    assert outbox.resend(WebhookDelivery.objects.all()) == 1
    assert (waiting().attempts, waiting().delivered_at) == (0, None)
    deliver(endpoint.pk)
    assert len(there.got) == 2 and len(set(there.ids)) == 1
