"""The Celery application; its schedule is data, its tasks live in each app's `tasks.py`."""

import os
from typing import Any

from celery import Celery, bootsteps
from celery.signals import setup_logging
from django.db import connections
from django_structlog.celery.steps import DjangoStructLogInitStep

from config.beat import Beat
from config.heartbeat import Heartbeat
from config.telemetry import begin

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Foldback(Celery):
    @property
    def Beat(self) -> Any:  # Celery's own name
        return self.subclass_with_self(Beat)


app = Foldback("foldback", task_cls="config.traced_task:TracedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["generation.webhooks"])
KEEP_SECONDS = 60


class KeepConnections(bootsteps.Step):
    """The threads of a worker stay: each keeps its connection for a minute, and need not make four a run."""

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        settings = connections.settings["default"]
        if "pool" not in settings["OPTIONS"]:
            settings["CONN_MAX_AGE"] = KEEP_SECONDS


class Traces(bootsteps.Step):
    """Before the first task is taken."""

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        begin("worker")


app.steps["worker"].update({DjangoStructLogInitStep, Heartbeat, KeepConnections, Traces})


@setup_logging.connect
def keep_our_logging(**kwargs: Any) -> None:
    """Whoever connects here has set up logging: Celery would put its own level on the root logger."""
