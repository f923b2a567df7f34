"""A worker's sign of life: a row that it renews from a thread of its own, so that a busy worker is alive too."""

import threading
from datetime import timedelta
from typing import Any

import structlog
from celery import bootsteps
from django.db import DatabaseError, connection
from django.db.models.functions import Now

INTERVAL_SECONDS = 5
FRESH_SECONDS = 30  # older than this, by database time, is no sign of life
FORGOTTEN_AFTER = timedelta(days=1)

log = structlog.get_logger(__name__)


def beat(worker: str) -> None:
    """Say that `worker` lives, and forget those that ended long ago."""
    from generation.models import WorkerHeartbeat

    WorkerHeartbeat.objects.update_or_create(worker=worker, defaults={"seen_at": Now()})
    WorkerHeartbeat.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).delete()


def leave(worker: str) -> None:
    """A worker that ended in order is missed at once."""
    from generation.models import WorkerHeartbeat

    WorkerHeartbeat.objects.filter(worker=worker).delete()


class Heartbeat(bootsteps.StartStopStep):
    """Celery's boot step that beats while the worker runs."""

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, parent: Any) -> None:
        self.ended.clear()
        self.thread = threading.Thread(target=self._run, args=[parent.hostname], name="heartbeat", daemon=True)
        self.thread.start()

    def stop(self, parent: Any) -> None:
        """Wait until it has said goodbye, where the database lets it."""
        self.ended.set()
        if self.thread is not None:
            self.thread.join(INTERVAL_SECONDS)

    def _run(self, worker: str) -> None:
        while True:
            try:
                beat(worker) if not self.ended.is_set() else leave(worker)
            except DatabaseError as error:  # the database may be away for a moment; readiness tells it
                log.warning("heartbeat_failed", error=type(error).__name__)
            finally:
                connection.close()
            if self.ended.is_set():
                return
            self.ended.wait(INTERVAL_SECONDS)
