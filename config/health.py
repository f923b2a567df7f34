"""Whether the installation is alive, ready and how it does: /healthz, /readyz and /metrics. No login."""

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from config.celery import app
from config.heartbeat import FRESH_SECONDS
from config.metrics import Collector
from generation.append_only import unprotected
from generation.models import WorkerHeartbeat

BROKER_SECONDS = 2


@require_safe
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The web process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
@login_not_required
def readyz(request: HttpRequest) -> JsonResponse:
    """200 where work can be done, else 503: {"ready": bool, "checks": {name: "ok" or what is wrong}}."""
    checks = {name: ask(check) for name, check in CHECKS.items()}
    ready = all(told == "ok" for told in checks.values())
    return JsonResponse({"ready": ready, "checks": checks}, status=200 if ready else 503)


@require_safe
@never_cache
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()
    registry.register(Collector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def ask(check: Callable[[], str]) -> str:
    """What is wrong, in words that hold no address and no password; "ok" where nothing is."""
    try:
        return check() or "ok"
    except Exception as error:  # whatever it is, the answer is: not ready
        return f"unreachable ({type(error).__name__})"


def database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def migrations() -> str:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(missing)} not applied: run manage.py migrate" if missing else ""


def append_only() -> str:
    tables = unprotected()
    return f"not protected: {', '.join(tables)}" if tables else ""


def broker() -> str:
    if not settings.EMBEDDED_BROKER:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        url = settings.CELERY_BROKER_URL
        with app.connection_for_write(url, connect_timeout=BROKER_SECONDS, transport_options=options) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pgmq.meta') IS NULL")
        row = cursor.fetchone()
    return "its tables are missing: run python -m config.prepare" if row and row[0] else ""


def worker() -> str:
    fresh = WorkerHeartbeat.objects.filter(seen_at__gt=Now() - timedelta(seconds=FRESH_SECONDS))
    return "" if fresh.exists() else f"no sign of life for {FRESH_SECONDS} s"


CHECKS: dict[str, Callable[[], str]] = {
    "database": database,
    "migrations": migrations,
    "append_only": append_only,
    "broker": broker,
    "worker": worker,
}
