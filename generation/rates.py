"""How many calls a key may make in a minute: one row per key, counted in the database.

A counter in a process's memory would let each web process allow the whole limit again, and a cache
that all of them share is not part of a small installation. One upsert costs less than looking up the key.
"""

from django.db import connection

from generation.models import ApiKeyUse

_COUNT = f"""
INSERT INTO {ApiKeyUse._meta.db_table} AS used (api_key_id, minute, count)
VALUES (%s, date_trunc('minute', statement_timestamp()), 1)
ON CONFLICT (api_key_id) DO UPDATE SET
    count = CASE WHEN used.minute = excluded.minute THEN used.count + 1 ELSE 1 END,
    minute = excluded.minute
RETURNING count, ceil(60 - extract(second from statement_timestamp()))
"""  # noqa: S608 the table's name is ours


def count_call(api_key_id: int) -> tuple[int, int]:
    """Counts one call: how many the key made in this minute (by database time), seconds until the next one."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [api_key_id])
        count, seconds = cursor.fetchone()
    return int(count), max(1, int(seconds))
