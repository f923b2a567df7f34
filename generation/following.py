"""Following a run: what happened so far, then what happens, as the text of server-sent events, until it ends."""

import json
from collections.abc import AsyncIterator
from typing import Any, TypeVar
from uuid import UUID

from asgiref.sync import SyncToAsync, sync_to_async
from django.db import close_old_connections
from django.http import StreamingHttpResponse

from generation.blind import UNJUDGED
from generation.clock import told
from generation.looking import Happened, Seen, changed
from generation.models import NodeEvent

P = TypeVar("P", str, bytes)
KEEP_ALIVE_SECONDS = 15.0


def response(run_id: UUID, after: int, seen: Seen, *, judge: bool = True) -> StreamingHttpResponse:
    """The stream as an answer, behind the event `after`; `seen`: the first look, which the caller took.

    judge: whether it may tell what the judge found.
    """
    return StreamingHttpResponse(
        alone(events(run_id, after, seen, judge=judge)),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def events(run_id: UUID, after: int, seen: Seen, *, judge: bool = True) -> AsyncIterator[str]:
    """The stream's text. A comment keeps it alive where nothing happens."""
    told = ""
    while True:
        for event in seen.events:
            after = event.id
            if judge or _is_blind(event):
                yield _message(event.kind, _data(event), event.id)
                told = event.node if event.kind == NodeEvent.Kind.STATUS else told
        status = seen.status if judge else seen.shown_status
        if seen.is_over:
            if status and told != status:  # nothing wrote it down; the end is told all the same
                yield _message(NodeEvent.Kind.STATUS, {"node": status})
            return
        while (news := await changed(run_id, after, KEEP_ALIVE_SECONDS)) is None:
            yield ": still here\n\n"
        seen = news


def _is_blind(event: Happened) -> bool:
    """Stages that begin anew, and a status that says why, tell what the judge found."""
    return event.kind == NodeEvent.Kind.STATUS and event.node in UNJUDGED


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


def _data(event: Happened) -> dict[str, Any]:
    return {
        "node": event.node,
        "badge": event.badge,
        "round": event.round,
        "attempt": event.attempt,
        "detail": event.detail,
        "created_at": told(event.created_at),
    }


def _message(kind: str, data: dict[str, Any], event_id: int | None = None) -> str:
    numbered = f"id: {event_id}\n" if event_id is not None else ""
    return f"{numbered}event: {kind}\ndata: {json.dumps(data)}\n\n"
