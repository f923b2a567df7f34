"""What an act reads, as PostgreSQL itself counts it: that holds whatever else the machine does."""

import json
from typing import Any

from django.db import connection

from tests.benchmarks.acts import Act, undone


class Buffers:
    """Explains every statement before it runs, and adds up the buffers that it touched."""

    def __init__(self) -> None:
        self.touched = self.statements = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip().startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")):
            with connection.connection.cursor() as cursor:
                cursor.execute("SAVEPOINT explained")
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                [[found]] = cursor.fetchall()
                cursor.execute("ROLLBACK TO SAVEPOINT explained")
            [plan] = json.loads(found) if isinstance(found, str) else found
            self.touched += plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
            self.statements += 1
        return execute(sql, params, many, context)


def touched(act: Act, *, by_index: bool = False) -> Buffers:
    """What the act touches once its rows, its hint bits and our own caches are warm.

    by_index: as a large history is read. Of a small table the planner reads all pages, which are few, and of
    a large one it looks up what it needs; with this it looks up in both.
    """
    buffers = Buffers()
    with connection.cursor() as cursor:
        cursor.execute(f"SET enable_seqscan = {'off' if by_index else 'on'}")
        undone(act)
        with connection.execute_wrapper(buffers):
            undone(act)
        cursor.execute("RESET enable_seqscan")
    return buffers
