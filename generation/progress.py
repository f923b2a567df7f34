"""Live progress: rows that pages and the event stream follow."""

import uuid
from collections.abc import Mapping

from django.db import connection

from generation.models import NodeEvent

_TELL = f"""
INSERT INTO {NodeEvent._meta.db_table} (run_id, kind, node, badge, round, attempt, detail)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""  # noqa: S608 the table's name is ours


def status_changed(run_id: uuid.UUID, status: str, round: int, error: Mapping[str, str] | None = None) -> None:
    """error: the run's, where it has one; its code goes along as the event's detail."""
    _tell(run_id, NodeEvent.Kind.STATUS, status, round=round, detail=(error or {}).get("code", ""))


def entered(run_id: uuid.UUID, node: str, *, badge: str, round: int, attempt: int) -> None:
    _tell(run_id, NodeEvent.Kind.NODE_ENTER, node, badge=badge, round=round, attempt=attempt)


def completed(run_id: uuid.UUID, node: str, *, badge: str, round: int, attempt: int, detail: str = "") -> None:
    _tell(run_id, NodeEvent.Kind.NODE_COMPLETE, node, badge=badge, round=round, attempt=attempt, detail=detail)


def _tell(
    run_id: uuid.UUID,
    kind: NodeEvent.Kind,
    node: str,
    *,
    badge: str = "",
    round: int,
    attempt: int = 1,
    detail: str = "",
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_TELL, [run_id, kind.value, str(node), badge, round, attempt, detail[:300]])
