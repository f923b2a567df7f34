"""Following a run: what happened so far, then what happens, as the text of server-sent events, until it ends."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any, TypeVar
from uuid import UUID

from asgiref.sync import SyncToAsync, sync_to_async
from django.db import close_old_connections
from django.http import StreamingHttpResponse

from generation.models import NodeEvent, Run
from generation.models.run import IN_PROGRESS

P = TypeVar("P", str, bytes)
POLL_SECONDS = 0.5
IDLE_POLL_SECONDS = 2.0  # once nothing has happened for IDLE_SECONDS
IDLE_SECONDS = 30.0
KEEP_ALIVE_SECONDS = 15.0


def response(run_id: UUID, after: int) -> StreamingHttpResponse:
    """The stream as an answer, behind the event `after`."""
    return StreamingHttpResponse(
        alone(events(run_id, after)),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def events(run_id: UUID, after: int = 0) -> AsyncIterator[str]:
    """The stream's text. A comment keeps it alive where nothing happens."""
    told, quiet_since = "", time.monotonic()
    kept_alive = quiet_since
    while (seen := await look(run_id, after)) is not None:
        status, found = seen
        for event in found:
            yield _message(event.kind, _data(event), event.pk)
            after, quiet_since = event.pk, time.monotonic()
            told = event.node if event.kind == NodeEvent.Kind.STATUS else told
        if status not in IN_PROGRESS:
            if told != status:  # nothing wrote it down; the end is told all the same
                yield _message(NodeEvent.Kind.STATUS, {"node": status})
            return
        now = time.monotonic()
        if now - max(kept_alive, quiet_since) >= KEEP_ALIVE_SECONDS:
            yield ": still here\n\n"
            kept_alive = now
        await asyncio.sleep(POLL_SECONDS if now - quiet_since < IDLE_SECONDS else IDLE_POLL_SECONDS)


async def alone(text: AsyncIterator[P]) -> AsyncIterator[P]:
    """The same text, held by nothing: the thread and the connection that served the request are given back first.

    Django keeps a thread for each request until its answer has ended, which for a stream may be hours.
    """
    await sync_to_async(close_old_connections)()
    context = SyncToAsync.thread_sensitive_context.get(None)
    threads = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if threads is not None:
        threads.shutdown(wait=False)  # whatever the request needs at its end gets a new one
    async for part in text:
        yield part


async def look(run_id: UUID, after: int) -> tuple[str, list[NodeEvent]] | None:
    """The status, then the events behind `after`, in this order: none of an ended run is missed. None: no run.

    In the pool's threads, which all streams share.
    """
    return await sync_to_async(_read, thread_sensitive=False)(run_id, after)


def _read(run_id: UUID, after: int) -> tuple[str, list[NodeEvent]] | None:
    try:
        status = Run.objects.filter(pk=run_id).values_list("status", flat=True).first()
        if status is None:
            return None
        return status, list(NodeEvent.objects.filter(run=run_id, pk__gt=after).order_by("pk"))
    finally:
        close_old_connections()


def _data(event: NodeEvent) -> dict[str, Any]:
    return {
        "node": event.node,
        "badge": event.badge,
        "round": event.round,
        "attempt": event.attempt,
        "detail": event.detail,
        "created_at": event.created_at.isoformat().replace("+00:00", "Z"),
    }


def _message(kind: str, data: dict[str, Any], event_id: int | None = None) -> str:
    numbered = f"id: {event_id}\n" if event_id is not None else ""
    return f"{numbered}event: {kind}\ndata: {json.dumps(data)}\n\n"
