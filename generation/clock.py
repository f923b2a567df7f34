"""The one clock: the database's. That of a process may be off by an hour."""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The database's time at this statement, so after whatever lock the transaction has waited for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        at: datetime = cursor.fetchone()[0]
        return at
