"""Sending what waits for an endpoint: one message after another, by one worker at a time, for one turn."""

import json
import random
import time
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from generation import clock
from generation.models import WebhookDelivery, WebhookEndpoint, WebhookMessage
from generation.webhooks import signing
from generation.webhooks.sending import Attempt, send

log = structlog.get_logger(__name__)

# Seconds before the second attempt, the third and so on, as the specification suggests: three days and more.
WAITS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
MOST_ATTEMPTS = len(WAITS) + 1
JITTER = 0.2  # of a wait, at most, is added
# Seconds for which an endpoint rests as a whole after its first failure in a row, its second and so on.
RESTS = (5, 30, 120, 300, 900)
LONGEST_RETRY_AFTER = 3600
GIVE_UP_AFTER = timedelta(seconds=sum(WAITS) * (1 + JITTER))
OUTAGE = 3  # failures in a row; what they postponed is due at once when the endpoint is back
TURN_SECONDS = 10  # no further message is begun after that: others wait
LEASE = timedelta(seconds=90)  # renewed before each message; longer than a name's look-up and an attempt together
OLD_SECRET = timedelta(hours=24)  # for which a rotated secret signs beside the new one
GONE = 410
SWEPT = 200


def deliver(endpoint_id: UUID) -> bool:
    """Send to one endpoint what is due, for one turn; whether more is due. False where another worker has it.

    Safe to be killed at any point: what was not marked as delivered is sent again under the same id.
    """
    lease = uuid.uuid4()
    if not _free().filter(pk=endpoint_id).update(lease=lease, busy_until=Now() + LEASE):
        return False
    mine = WebhookEndpoint.objects.filter(pk=endpoint_id, lease=lease)
    try:
        _turn(mine)
    finally:
        mine.update(lease=None, busy_until=None)
    # What was committed before the lease ended is seen here; what comes later finds the endpoint free.
    return due().filter(pk=endpoint_id).exists()


def due() -> QuerySet[WebhookEndpoint]:
    """The endpoints for which something is due, and which nobody sends to."""
    waiting = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), state="waiting", next_attempt_at__lte=Now())
    return _free().filter(Exists(waiting))


def _free() -> QuerySet[WebhookEndpoint]:
    free = Q(busy_until__isnull=True) | Q(busy_until__lt=Now())
    rested = Q(resting_until__isnull=True) | Q(resting_until__lte=Now())
    return WebhookEndpoint.objects.filter(free, rested, enabled=True)


def _turn(mine: QuerySet[WebhookEndpoint]) -> None:
    started = time.monotonic()
    while time.monotonic() - started < TURN_SECONDS:
        if not mine.filter(enabled=True).update(busy_until=Now() + LEASE):
            return
        endpoint = mine.annotate(both=Q(rotated_at__gt=Now() - OLD_SECRET)).get()
        delivery = _next(endpoint)
        if delivery is None or not _attempt(endpoint, delivery):
            return


def _next(endpoint: WebhookEndpoint) -> WebhookDelivery | None:
    waiting = WebhookDelivery.objects.filter(endpoint=endpoint, state="waiting", next_attempt_at__lte=Now())
    return waiting.select_related("message").order_by("next_attempt_at", "id").first()


def _attempt(endpoint: Any, delivery: WebhookDelivery) -> bool:
    """One attempt and what it changes; whether it was delivered."""
    body = body_of(delivery.message)
    numbers = [endpoint.secret_number, *([endpoint.secret_number - 1] if endpoint.both else [])]
    headers = signing.headers(endpoint.pk, numbers, delivery.message_id, clock.now(), body)
    attempt = send(endpoint.url, headers, body)
    if attempt.error:
        _failed(endpoint, delivery, attempt)
    else:
        _delivered(endpoint, delivery, attempt)
    return not attempt.error


def body_of(message: WebhookMessage) -> str:
    """The bytes that are signed and sent: the same at each attempt, since `jsonb` keeps an order of its own."""
    at = clock.told(message.created_at)
    told: Mapping[str, Any] = {"type": message.type, "timestamp": at, "data": message.data}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _delivered(endpoint: WebhookEndpoint, delivery: WebhookDelivery, attempt: Attempt) -> None:
    state = WebhookDelivery.State.DELIVERED
    _keep(delivery, attempt, state=state, next_attempt_at=None, delivered_at=Now())
    if not endpoint.failures:
        return
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(failures=0, failing_since=None, resting_until=None)
    if endpoint.failures >= OUTAGE:
        WebhookDelivery.objects.filter(endpoint=endpoint, state="waiting").update(next_attempt_at=Now())
    log.info("webhook_endpoint_back", endpoint=str(endpoint.pk), failures=endpoint.failures)


def _failed(endpoint: WebhookEndpoint, delivery: WebhookDelivery, attempt: Attempt) -> None:
    asked = min(attempt.retry_after or 0, LONGEST_RETRY_AFTER)
    number = delivery.attempts + 1
    words = {"endpoint": str(endpoint.pk), "message": str(delivery.message_id), "attempt": number}
    told = {**words, "code": attempt.error, "status": attempt.status}
    if number >= MOST_ATTEMPTS:
        _keep(delivery, attempt, state=WebhookDelivery.State.FAILED, next_attempt_at=None)
        log.error("webhook_given_up", **told)
    else:
        wait = max(WAITS[number - 1] * (1 + JITTER * random.random()), asked)  # noqa: S311 - no secret
        _keep(delivery, attempt, next_attempt_at=Now() + timedelta(seconds=wait))
        log.warning("webhook_failed", **told)
    _rest(endpoint, attempt, asked)


def _rest(endpoint: WebhookEndpoint, attempt: Attempt, asked: float) -> None:
    """It rests, longer with each failure in a row; an endpoint that is gone or failed for days is switched off."""
    mine = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    seconds = max(RESTS[min(endpoint.failures, len(RESTS) - 1)], asked)
    mine.update(
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", Now()),
        resting_until=Now() + timedelta(seconds=seconds),
    )
    why = WebhookEndpoint.Why.GONE if attempt.status == GONE else WebhookEndpoint.Why.FAILING
    over = mine if why == WebhookEndpoint.Why.GONE else mine.filter(failing_since__lt=Now() - GIVE_UP_AFTER)
    if over.update(enabled=False, switched_off=why):
        log.error("webhook_endpoint_switched_off", endpoint=str(endpoint.pk), why=why.value)


def _keep(delivery: WebhookDelivery, attempt: Attempt, **fields: Any) -> None:
    """What the attempt came to, unless another worker delivered meanwhile."""
    WebhookDelivery.objects.filter(pk=delivery.pk, state="waiting").update(
        attempts=F("attempts") + 1,
        last_status=attempt.status,
        last_error=attempt.error,
        last_duration_ms=attempt.duration_ms,
        last_attempt_at=Now(),
        **fields,
    )
