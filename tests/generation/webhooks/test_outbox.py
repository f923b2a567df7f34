"""The outbox: written with what made it happen, for those alone who want it, and in one statement."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from generation.models import WebhookDelivery, WebhookEndpoint, WebhookMessage
from generation.webhooks import outbox
from tests.generation.webhooks.conftest import to

pytestmark = pytest.mark.django_db
TYPES = ("run.finished", "run.needs_human_review")
URL = "https://example.org/hook"


@pytest.mark.parametrize(
    ("endpoints", "messages", "deliveries"),
    [
        pytest.param([], 0, 0, id="nobody"),
        pytest.param([["run.finished"]], 1, 1, id="one"),
        pytest.param([["run.finished"], ["run.finished", "review.recorded"]], 1, 2, id="two"),
        pytest.param([["review.recorded"]], 0, 0, id="nobody wants this type"),
    ],
)
def test_one_statement_writes_the_message_and_what_is_to_be_delivered(
    endpoints: list[list[str]], messages: int, deliveries: int
) -> None:
    for types in endpoints:
        to(URL, *types)
    with CaptureQueriesContext(connection) as captured:
        outbox.emit("run.finished", {"run": "x", "note": "Größe \u2028 'quoted'"})
    assert len(captured) == 1
    assert WebhookMessage.objects.count() == messages
    assert WebhookDelivery.objects.count() == deliveries
    for message in WebhookMessage.objects.all():
        assert message.data == {"run": "x", "note": "Größe \u2028 'quoted'"}


def test_many_messages_are_one_statement_too_and_sort_as_they_came() -> None:
    for type in TYPES:
        to(URL, type)
    with CaptureQueriesContext(connection) as captured:
        outbox.emit_all([(type, {"n": n}) for n in range(50) for type in TYPES])
    assert len(captured) == 1
    assert WebhookDelivery.objects.count() == WebhookMessage.objects.count() == 100
    assert [message.data["n"] for message in WebhookMessage.objects.order_by("id")][::2] == list(range(50))
    with CaptureQueriesContext(connection) as captured:
        outbox.emit_all([])
    assert len(captured) == 0


def test_who_is_switched_off_is_told_nothing() -> None:
    to(URL)
    WebhookEndpoint.objects.update(enabled=False)
    outbox.emit("run.finished", {})
    assert not WebhookMessage.objects.exists()


def test_what_did_not_happen_is_not_told() -> None:
    to(URL)
    with transaction.atomic():
        outbox.emit("run.finished", {})
        assert WebhookMessage.objects.exists()
        transaction.set_rollback(True)
    assert not WebhookMessage.objects.exists() and not WebhookDelivery.objects.exists()


def test_a_task_for_each_endpoint_comes_once_it_stands(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    to(URL)
    resting = to(URL)
    WebhookEndpoint.objects.filter(pk=resting.pk).update(resting_until="2040-01-01T00:00Z")
    to(URL)
    with django_capture_on_commit_callbacks() as callbacks:
        outbox.emit_all([("run.finished", {}), ("prompt.activated", {})])
    assert len(callbacks) == 2  # who rests is left to the sweep
    assert WebhookDelivery.objects.count() == 6
