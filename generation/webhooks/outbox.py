"""The outbox: what happened is stored with what made it happen, and sent once that stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from generation.ids import uuid7
from generation.models import WebhookDelivery, WebhookEndpoint, WebhookMessage
from generation.webhooks.tasks import deliver_webhooks

# Messages that somebody wants, and a delivery for each who does. An endpoint at rest is left to the sweep.
_EMIT = """
WITH given AS (
  SELECT * FROM unnest(%(ids)s::uuid[], %(types)s::text[], %(data)s::text[]) AS given (id, type, data)
), wanted AS MATERIALIZED (
  SELECT given.id AS message, endpoint.id AS endpoint, endpoint.resting_until
  FROM given JOIN generation_webhookendpoint AS endpoint ON endpoint.enabled AND given.type = ANY (endpoint.types)
), message AS (
  INSERT INTO generation_webhookmessage (id, type, data)
  SELECT id, type, data::jsonb FROM given WHERE id IN (SELECT message FROM wanted)
), delivery AS (
  INSERT INTO generation_webhookdelivery (message_id, endpoint_id) SELECT message, endpoint FROM wanted ORDER BY 1
)
SELECT DISTINCT endpoint FROM wanted WHERE resting_until IS NULL OR resting_until <= statement_timestamp()
"""

# The types that anybody wants, as an SQL expression: for who asks the database something anyhow.
WANTED = "ARRAY(SELECT DISTINCT unnest(types) FROM generation_webhookendpoint WHERE enabled)"


def emit(type: str, data: Mapping[str, Any]) -> None:
    """Tell the endpoints that want this type; see `emit_all`."""
    emit_all([(type, data)])


def emit_all(messages: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Store each message and a delivery per endpoint that wants it, in one statement of the caller's transaction:
    both stand or neither. Sending begins once they stand; nothing is stored where nobody wants it.

    data: ids, statuses, counts and addresses, as JSON can hold them; never a record's or a reviewer's words.
    """
    if not messages:
        return
    given: dict[str, Any] = {
        "ids": [uuid7() for _message in messages],
        "types": [type for type, _data in messages],
        "data": [json.dumps(data, default=str) for _type, data in messages],
    }
    with connection.cursor() as cursor:
        cursor.execute(_EMIT, given)
        kick(row[0] for row in cursor.fetchall())


def wanted() -> frozenset[str]:
    """The types that any endpoint wants: what nobody wants need not be found out, nor put into words."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {WANTED}")
        return frozenset(cursor.fetchone()[0])


def send_test(endpoint: WebhookEndpoint, type: str) -> WebhookDelivery:
    """A message to this endpoint alone."""
    with transaction.atomic():
        message = WebhookMessage.objects.create(type=type, data={"endpoint": str(endpoint.pk)})
        delivery = WebhookDelivery.objects.create(message=message, endpoint=endpoint, next_attempt_at=Now())
        wake([endpoint.pk])
    return delivery


def resend(deliveries: QuerySet[WebhookDelivery]) -> int:
    """Send these again, under the ids that they had, from the first attempt on; how many."""
    with transaction.atomic():
        endpoints = set(deliveries.values_list("endpoint", flat=True))
        count = WebhookDelivery.objects.filter(pk__in=list(deliveries.values_list("pk", flat=True))).update(
            state=WebhookDelivery.State.WAITING, attempts=0, next_attempt_at=Now(), delivered_at=None
        )
        wake(endpoints)
    return count


def wake(endpoints: Iterable[UUID]) -> None:
    """End the rest of these endpoints: a person wants them to be tried now."""
    awake = list(endpoints)
    WebhookEndpoint.objects.filter(pk__in=awake).update(resting_until=None)
    kick(awake)


def kick(endpoints: Iterable[UUID]) -> None:
    """A task for each endpoint once the transaction stands. Is the broker away, the sweep finds what is due."""
    for endpoint_id in endpoints:
        transaction.on_commit(lambda id=str(endpoint_id): deliver_webhooks.delay(id), robust=True)  # type: ignore[misc]
