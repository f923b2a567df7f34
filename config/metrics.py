"""What /metrics shows, read from the database at each scrape: true whichever process answers.

No figure costs more as history grows: what is open is counted up to a bound, what is done within a day.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now, TruncDate
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector as BaseCollector

from config.heartbeat import FRESH_SECONDS
from generation.models import (
    Call,
    DailySpend,
    DeferredCall,
    Run,
    Status,
    Submission,
    WebhookDelivery,
    WebhookEndpoint,
    WorkerHeartbeat,
)
from generation.models.run import IN_PROGRESS
from review.models import ReviewEvent, ReviewForm

MOST = 10_000  # nothing is counted further
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
_LAST_NUMBER = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')), 0)"
_POSTPONED = """
SELECT coalesce(error->>'code', ''), count(*) FROM (
  SELECT error FROM generation_run WHERE status = 'queued' AND next_attempt_at > now()
  ORDER BY next_attempt_at LIMIT %s
) AS postponed GROUP BY 1 ORDER BY 1
"""
OPEN = (*IN_PROGRESS, Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW)


class Collector(BaseCollector):
    def collect(self) -> Iterator[Metric]:
        runs = Run.objects.order_by()
        yield by_status(
            "foldback_runs",
            f"Runs by status, of those that are not over; {MOST} stands for so many or more.",
            {status: runs.filter(status=status) for status in OPEN},
        )
        yield by_status(
            "foldback_runs_of_day",
            f"Runs made in the last 24 hours by the status they have now; {MOST} stands for so many or more.",
            {status: runs.filter(status=status, created_at__gt=Now() - DAY) for status in Status},
        )
        yield gauge(
            "foldback_review_queue",
            f"Runs up for review, failed ones with a record too; {MOST} stands for so many or more.",
            bounded(runs.up_for_review()),
        )
        yield gauge(
            "foldback_queue_age_seconds",
            "How long the queued run that is due for longest has waited for a worker; postponed ones are not due.",
            queue_age(),
        )
        yield gauge(
            "foldback_review_queue_age_seconds",
            "How long the oldest run has waited for a reviewer.",
            seconds(runs.up_for_review().aggregate(waited=Now() - Min("changed_at"))["waited"]),
        )
        yield labelled(
            "foldback_deferred",
            f"Requests for the provider's batch interface: to be sent, and at the provider; at most {MOST}.",
            "state",
            deferred(),
        )
        yield gauge(
            "foldback_deferred_age_seconds",
            "How long the oldest request has waited to be sent, or the oldest batch at the provider to end.",
            deferred_age(),
        )
        yield labelled(
            "foldback_runs_postponed",
            f"Queued runs that wait for their next attempt, by what stopped the last; {MOST} stands for so many.",
            "reason",
            postponed(),
        )
        yield by_status(
            "foldback_runs_ended_of_hour",
            f"Runs whose generation ended so in the last hour, and that nobody reviewed since; at most {MOST}.",
            ended(),
        )
        yield numbered("foldback_calls", "Calls to providers, failed ones too.", Call)
        yield numbered("foldback_review_events", "Events in the history of reviews.", ReviewEvent)
        yield gauge("foldback_spend_today_usd", "What calls cost today (UTC), in US dollars.", spend_today())
        yield gauge(
            "foldback_spend_cap_usd",
            "What calls of a day may cost, in US dollars; 0: there is no cap.",
            float(settings.FOLDBACK_SPEND_CAP_USD),
        )
        yield gauge(
            "foldback_reviews_without_event",
            "Submitted reviews whose history could not be written yet.",
            bounded(ReviewForm.objects.filter(state=ReviewForm.State.SUBMITTED, event=None).order_by()),
        )
        yield gauge(
            "foldback_webhook_queue_age_seconds",
            "How long the webhook that is due for longest has been so, of endpoints that are switched on.",
            webhook_age(),
        )
        yield labelled(
            "foldback_webhook_deliveries",
            f"Deliveries that wait for their next attempt, and that were given up; {MOST} stands for so many.",
            "state",
            deliveries(),
        )
        yield gauge(
            "foldback_webhook_endpoints_failing",
            "Webhook endpoints that failed at last, or were switched off for it.",
            WebhookEndpoint.objects.filter(failing_since__isnull=False).count(),
        )
        yield gauge("foldback_workers_alive", "Workers with a fresh sign of life.", workers_alive())


def gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def labelled(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, count in values.items():
        family.add_metric([value], count)
    return family


def by_status(name: str, text: str, sets: "Mapping[Status, QuerySet[Run] | tuple[QuerySet[Run], ...]]") -> Metric:
    counts = {}
    for status, runs in sets.items():
        parts = runs if isinstance(runs, tuple) else (runs,)
        counts[status.value] = sum(bounded(part) for part in parts)
    return labelled(name, text, "status", counts)


def bounded(rows: "QuerySet[Any]") -> int:
    """How many, counted up to MOST: index entries are read, and no more of them than that."""
    return rows.values("pk")[:MOST].count()


def numbered(name: str, text: str, model: type[Call] | type[ReviewEvent]) -> Metric:
    """A counter off the numbers that the rows get: one that was rolled back counts too, none is read."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_NUMBER, [model._meta.db_table])
        row = cursor.fetchone()
    return CounterMetricFamily(name, text, value=row[0] if row else 0)


def seconds(waited: timedelta | None) -> float:
    return max(0.0, waited.total_seconds()) if waited else 0.0


def queue_age() -> float:
    """Of runs that were never begun, since they were queued; of postponed and parked ones, since they are due."""
    queued = Run.objects.filter(status=Status.QUEUED).order_by()
    again = Run.objects.in_progress().order_by()
    begun = again.filter(next_attempt_at__lte=Now()).aggregate(waited=Now() - Min("next_attempt_at"))["waited"]
    fresh = queued.filter(next_attempt_at=None).aggregate(waited=Now() - Min("changed_at"))["waited"]
    return max(seconds(begun), seconds(fresh))


def deferred() -> dict[str, int]:
    state = DeferredCall.State
    rows = DeferredCall.objects.order_by()
    return {one.value: bounded(rows.filter(state=one)) for one in (state.WAITING, state.SENT)}


def deferred_age() -> float:
    """One look into an index for each."""
    waiting = DeferredCall.objects.filter(state=DeferredCall.State.WAITING).order_by()
    sent = Submission.objects.exclude(state=Submission.State.OVER).order_by()
    return max(seconds(rows.aggregate(age=Now() - Min("created_at"))["age"]) for rows in (waiting, sent))


def postponed() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_POSTPONED, [MOST])
        return dict(cursor.fetchall())


def ended() -> "dict[Status, tuple[QuerySet[Run], ...]]":
    """Read off the indexes of what waits for a person and of what has no record: none knows all that ended."""
    lately = Run.objects.filter(changed_at__gt=Now() - HOUR).order_by()
    waiting, without = lately.up_for_review(), lately.without_record()
    return {
        Status.AWAITING_REVIEW: (waiting.filter(status=Status.AWAITING_REVIEW),),
        Status.NEEDS_HUMAN_REVIEW: (waiting.filter(status=Status.NEEDS_HUMAN_REVIEW),),
        Status.FAILED: (waiting.filter(status=Status.FAILED), without.filter(status=Status.FAILED)),
        Status.STOPPED: (without.filter(status=Status.STOPPED),),
    }


def deliveries() -> dict[str, int]:
    state = WebhookDelivery.State
    rows = WebhookDelivery.objects.order_by()
    return {one.value: bounded(rows.filter(state=one)) for one in (state.WAITING, state.FAILED)}


def webhook_age() -> float:
    """One look into an index per endpoint, however much waits."""
    waiting = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), state="waiting").order_by("next_attempt_at")
    oldest = Subquery(waiting.values("next_attempt_at")[:1])
    due = (
        WebhookEndpoint.objects.filter(enabled=True).annotate(due=oldest).aggregate(age=Now() - Min("due"))["age"]
    )
    return seconds(due)


def spend_today() -> float:
    today = DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC))
    cost = today.values_list("cost_usd", flat=True).first()
    return float(cost or 0)


def workers_alive() -> int:
    return WorkerHeartbeat.objects.filter(seen_at__gt=Now() - timedelta(seconds=FRESH_SECONDS)).count()
