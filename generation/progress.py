"""Live progress: rows that pages and the event stream follow."""

import uuid
from collections.abc import Mapping

from generation.models import NodeEvent


def status_changed(run_id: uuid.UUID, status: str, round: int, error: Mapping[str, str] | None = None) -> None:
    """error: the run's, where it has one; its code goes along as the event's detail."""
    code = (error or {}).get("code", "")[:300]
    NodeEvent.objects.create(run_id=run_id, kind=NodeEvent.Kind.STATUS, node=status, round=round, detail=code)


def entered(run_id: uuid.UUID, node: str, *, badge: str, round: int, attempt: int) -> None:
    NodeEvent.objects.create(
        run_id=run_id, kind=NodeEvent.Kind.NODE_ENTER, node=node, badge=badge, round=round, attempt=attempt
    )


def completed(run_id: uuid.UUID, node: str, *, badge: str, round: int, attempt: int, detail: str = "") -> None:
    NodeEvent.objects.create(
        run_id=run_id,
        kind=NodeEvent.Kind.NODE_COMPLETE,
        node=node,
        badge=badge,
        round=round,
        attempt=attempt,
        detail=detail[:300],
    )
