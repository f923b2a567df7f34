"""The Celery application of `config`, with the far end as a provider, short leases and, if asked, a wrong clock.

`celery --app tests.faults.worker worker`: everything else is the product's own.
"""

import os
from datetime import timedelta

import time_machine

LEASE_SECONDS = 8  # far longer than a call takes here, far shorter than a test


def shorten() -> None:
    """Waits of minutes become waits of seconds; the rules stay."""
    from django.conf import settings

    from generation import providers, tasks
    from generation.webhooks import delivering

    providers.PROVIDERS["far-end"] = "tests.faults.far_end"
    settings.RUN_LEASE_SECONDS = LEASE_SECONDS
    delivering.LEASE = timedelta(seconds=LEASE_SECONDS)
    tasks.TASK_EXPECTED = timedelta(seconds=2)
    tasks.TASK_UNDER_WAY = timedelta(seconds=LEASE_SECONDS)


if offset := int(os.environ.get("CLOCK_OFF_BY", "0")):
    import datetime

    wrong = datetime.datetime.now(datetime.UTC) + timedelta(seconds=offset)
    time_machine.travel(wrong, tick=True).start()

import django  # noqa: E402  - after the clock

from config.celery import app  # noqa: E402

__all__ = ["app"]

django.setup()
shorten()
