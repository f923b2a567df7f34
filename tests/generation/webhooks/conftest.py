"""A receiver on this machine, which the settings allow, and an endpoint that sends to it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation.models import WebhookDelivery, WebhookEndpoint
from generation.models.webhook import TYPES
from tests.receiver import Receiver, receiver


@pytest.fixture
def there(settings: Settings) -> Iterator[Receiver]:
    settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS = ["127.0.0.0/8"]
    with receiver() as found:
        yield found


@pytest.fixture
def endpoint(there: Receiver, db: None) -> WebhookEndpoint:
    return to(there.url)


def to(url: str, *types: str) -> WebhookEndpoint:
    return WebhookEndpoint.objects.create(url=url, types=list(types or TYPES))


def later(seconds: float = 7 * 86400) -> None:
    """As if so much time had passed: what waits is due, who rests has rested."""
    WebhookDelivery.objects.filter(state="waiting").update(next_attempt_at=Now() - timedelta(seconds=1))
    WebhookEndpoint.objects.update(resting_until=None)
