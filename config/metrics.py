"""What /metrics shows, read from the database at each scrape: true whichever process answers."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Now
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector as BaseCollector

from config.heartbeat import FRESH_SECONDS
from generation.models import DailySpend, Run, Status, WorkerHeartbeat
from review.models import ReviewForm


class Collector(BaseCollector):
    def collect(self) -> Iterator[Metric]:
        yield runs_by_status()
        yield age(
            "foldback_queue_age_seconds",
            "How long the oldest queued run has waited for a worker.",
            Run.objects.filter(status=Status.QUEUED),
        )
        yield age(
            "foldback_review_queue_age_seconds",
            "How long the oldest run has waited for a reviewer.",
            Run.objects.up_for_review(),
        )
        yield gauge("foldback_spend_today_usd", "What calls cost today (UTC), in US dollars.", spend_today())
        yield gauge(
            "foldback_reviews_without_event",
            "Submitted reviews whose history could not be written yet.",
            ReviewForm.objects.filter(state=ReviewForm.State.SUBMITTED, event=None).count(),
        )
        yield gauge("foldback_workers_alive", "Workers with a fresh sign of life.", workers_alive())


def gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def runs_by_status() -> Metric:
    family = GaugeMetricFamily("foldback_runs", "Runs by status.", labels=["status"])
    counts = dict(Run.objects.order_by().values_list("status").annotate(Count("pk")))
    for status in Status.values:
        family.add_metric([status], counts.get(status, 0))
    return family


def age(name: str, text: str, runs: QuerySet[Run]) -> Metric:
    """Seconds since the oldest of `runs` came to its status, by database time; 0 where there is none."""
    waited = runs.aggregate(waited=Now() - Min("changed_at"))["waited"]
    return gauge(name, text, max(0.0, waited.total_seconds()) if waited else 0.0)


def spend_today() -> float:
    cost = DailySpend.objects.filter(day=datetime.now(UTC).date()).values_list("cost_usd", flat=True).first()
    return float(cost or 0)


def workers_alive() -> int:
    return WorkerHeartbeat.objects.filter(seen_at__gt=Now() - timedelta(seconds=FRESH_SECONDS)).count()
