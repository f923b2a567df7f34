"""The embedded broker: message queues in the application's own PostgreSQL, by kombu's pgmq transport."""

from importlib.resources import files
from typing import Any

from psycopg.conninfo import make_conninfo

# Longer than a run's lease: a message comes back only when its worker is surely gone. Nothing waits for
# that: the sweep enqueues runs whose lease ended.
VISIBILITY_SECONDS = 3600


def pgmq_options(database: dict[str, Any]) -> dict[str, Any]:
    """Kombu's transport options for queues in `database`, a dict as in Django's DATABASES."""
    options = database["OPTIONS"]  # where a socket's folder is
    given = {
        "host": database.get("HOST") or options.get("host"),
        "port": database.get("PORT") or options.get("port"),
        "dbname": database.get("NAME"),
        "user": database.get("USER"),
        "password": database.get("PASSWORD"),
    }
    return {
        "conn_string": make_conninfo(**{key: _quoted(str(value)) for key, value in given.items() if value}),
        "init_extension": False,
        "visibility_timeout": VISIBILITY_SECONDS,
        "wait_time_seconds": 0,  # NOTIFY wakes us: no connection is held waiting inside a query
        "use_notify": True,
        "polling_interval": 0.1,
        "pool_size": 4,
    }


def _quoted(value: str) -> str:
    """As libpq reads it: the transport takes our string apart and joins the values without quoting them."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def install() -> bool:
    """Put pgmq's tables and functions into the database where they are missing; whether it did."""
    from django.db import connection, transaction

    script = files("pgmq").joinpath("sql", "pgmq.sql").read_text()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('foldback.broker'))")  # two starts at once
        cursor.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL")
        if cursor.fetchone()[0]:
            return False
        cursor.execute(script)
    return True
