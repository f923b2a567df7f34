"""The one clock: the database's, for that of a process may be off by an hour; and how times are told."""

from datetime import UTC, datetime

from django.db import connection


def now() -> datetime:
    """The database's time at this statement, so after whatever lock the transaction has waited for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        at: datetime = cursor.fetchone()[0]
        return at


def told(at: datetime) -> str:
    """A time as every answer and every file tells it: UTC in ISO 8601, to the microsecond."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
