"""Forgetting: the texts of old calls are blanked, and what they were stays; old webhook messages go."""

from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When
from django.db.models.functions import JSONObject, Now

from generation.models import Call, Injection, TrialCall, WebhookDelivery, WebhookMessage
from generation.models.run import IN_PROGRESS

log = structlog.get_logger(__name__)
ROWS = 500  # in one transaction
MOST_ROWS = 20_000  # at one time: the rest goes next time
BLANK: dict[str, Any] = {
    "system": "",
    "user": "",
    "answer": "",
    "request": Case(
        When(request__economy=True, then=JSONObject(guidance=F("request__guidance"), economy=Value(True))),
        default=JSONObject(guidance=F("request__guidance")),
    ),
    "forgotten_at": Now(),
}


def forget_calls(days: int, *, most: int = MOST_ROWS) -> int:
    """Blank prompts, answers and injected texts of calls older than `days`, by database time; how many calls.

    Runs in progress keep theirs: what they paid for is what they go on with.
    """
    forgotten = 0
    while forgotten < most:
        found = _forget(days, min(ROWS, most - forgotten))
        forgotten += found
        if not found:
            break
    if forgotten:
        log.info("calls_forgotten", calls=forgotten, days=days)
    return forgotten


def _forget(days: int, rows: int) -> int:
    return _of_runs(days, rows) + _of_trials(days, rows)


def _of_runs(days: int, rows: int) -> int:
    old = _old(Call.objects.exclude(run__status__in=IN_PROGRESS), days)
    with transaction.atomic():
        ids = list(old.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True)[:rows])
        Injection.objects.filter(call__in=ids).update(text="")
        return Call.objects.filter(pk__in=ids).update(**BLANK)


def _of_trials(days: int, rows: int) -> int:
    old = _old(TrialCall.objects.exclude(tried__status__in=IN_PROGRESS), days)
    with transaction.atomic():
        ids = list(old.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True)[:rows])
        return TrialCall.objects.filter(pk__in=ids).update(**BLANK, injections=[])


def _old(calls: QuerySet[Any], days: int) -> QuerySet[Any]:
    old = calls.filter(forgotten_at__isnull=True, created_at__lt=Now() - timedelta(days=days))
    return old.order_by("created_at")


def forget_webhooks(days: int, *, most: int = MOST_ROWS) -> int:
    """Delete messages older than `days`, by database time, with their deliveries; how many.

    What still waits for an endpoint that is switched on stays until it was delivered or given up.
    """
    waiting = WebhookDelivery.objects.filter(message=OuterRef("pk"), state="waiting", endpoint__enabled=True)
    old = WebhookMessage.objects.filter(~Exists(waiting), created_at__lt=Now() - timedelta(days=days))
    forgotten = 0
    while forgotten < most:
        with transaction.atomic():
            locked = old.order_by("created_at").select_for_update(of=("self",), skip_locked=True)
            ids = list(locked.values_list("pk", flat=True)[: min(ROWS, most - forgotten)])
            WebhookDelivery.objects.filter(message__in=ids).delete()
            WebhookMessage.objects.filter(pk__in=ids).delete()
        if not ids:
            break
        forgotten += len(ids)
    if forgotten:
        log.info("webhooks_forgotten", messages=forgotten, days=days)
    return forgotten
