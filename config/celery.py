"""The Celery application; its schedule is data, its tasks live in each app's `tasks.py`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django_structlog.celery.steps import DjangoStructLogInitStep

from config.heartbeat import Heartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("foldback")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].update({DjangoStructLogInitStep, Heartbeat})


@setup_logging.connect
def keep_our_logging(**kwargs: Any) -> None:
    """Whoever connects here has set up logging: Celery would put its own level on the root logger."""
