"""What each benchmark begins with: the application set up, as a process of an installation has it."""

import os

import django


def start() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def prepare(size: int) -> None:
    """Tables, seeds and a history of `size` runs, in an empty database."""
    from django.core.management import call_command
    from django.db import connection

    from config import broker
    from tests.benchmarks.filling import fill

    call_command("migrate", verbosity=0)
    broker.install()
    call_command("bootstrap")
    fill(size)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bare (id bigserial PRIMARY KEY, run uuid, body jsonb)")
