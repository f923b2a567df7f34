"""What /metrics shows, read from the database at each scrape: true whichever process answers.

No figure costs more as history grows: what is open is counted up to a bound, what is done within a day.
"""

from collections.abc import Iterator
from datetime import UTC, timedelta

from django.db import connection
from django.db.models import Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now, TruncDate
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector as BaseCollector

from config.heartbeat import FRESH_SECONDS
from generation.models import Call, DailySpend, Run, Status, WebhookDelivery, WebhookEndpoint, WorkerHeartbeat
from generation.models.run import IN_PROGRESS
from review.models import ReviewEvent, ReviewForm

MOST = 10_000  # nothing is counted further
DAY = timedelta(days=1)
_LAST_NUMBER = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')), 0)"
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
        yield age(
            "foldback_queue_age_seconds",
            "How long the oldest queued run has waited for a worker.",
            runs.filter(status=Status.QUEUED),
        )
        yield age(
            "foldback_review_queue_age_seconds",
            "How long the oldest run has waited for a reviewer.",
            runs.up_for_review(),
        )
        yield numbered("foldback_calls", "Calls to providers, failed ones too.", Call)
        yield numbered("foldback_review_events", "Events in the history of reviews.", ReviewEvent)
        yield gauge("foldback_spend_today_usd", "What calls cost today (UTC), in US dollars.", spend_today())
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
        yield gauge(
            "foldback_webhook_endpoints_failing",
            "Webhook endpoints that failed at last, or were switched off for it.",
            WebhookEndpoint.objects.filter(failing_since__isnull=False).count(),
        )
        yield gauge("foldback_workers_alive", "Workers with a fresh sign of life.", workers_alive())


def gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def by_status(name: str, text: str, sets: dict[Status, "QuerySet[Run]"]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=["status"])
    for status, runs in sets.items():
        family.add_metric([status.value], bounded(runs))
    return family


def bounded(rows: "QuerySet[Run] | QuerySet[ReviewForm]") -> int:
    """How many, counted up to MOST: index entries are read, and no more of them than that."""
    return rows.values("pk")[:MOST].count()


def numbered(name: str, text: str, model: type[Call] | type[ReviewEvent]) -> Metric:
    """A counter off the numbers that the rows get: one that was rolled back counts too, none is read."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_NUMBER, [model._meta.db_table])
        row = cursor.fetchone()
    return CounterMetricFamily(name, text, value=row[0] if row else 0)


def age(name: str, text: str, runs: QuerySet[Run]) -> Metric:
    """Seconds since the oldest of `runs` came to its status, by database time; 0 where there is none."""
    waited = runs.aggregate(waited=Now() - Min("changed_at"))["waited"]
    return gauge(name, text, max(0.0, waited.total_seconds()) if waited else 0.0)


def webhook_age() -> float:
    """One look into an index per endpoint, however much waits."""
    waiting = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), state="waiting").order_by("next_attempt_at")
    oldest = Subquery(waiting.values("next_attempt_at")[:1])
    due = (
        WebhookEndpoint.objects.filter(enabled=True).annotate(due=oldest).aggregate(age=Now() - Min("due"))["age"]
    )
    return max(0.0, due.total_seconds()) if due else 0.0


def spend_today() -> float:
    today = DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC))
    cost = today.values_list("cost_usd", flat=True).first()
    return float(cost or 0)


def workers_alive() -> int:
    return WorkerHeartbeat.objects.filter(seen_at__gt=Now() - timedelta(seconds=FRESH_SECONDS)).count()
