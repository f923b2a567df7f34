"""A run's progress as server-sent events: what happened so far, then what happens, until the run ends."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Header, Router

from generation.access import ApiKeyAuth
from generation.models import NodeEvent, Run
from generation.models.run import IN_PROGRESS
from generation.rest.problems import errors

router = Router(tags=["Runs"])
POLL_SECONDS = 0.5
KEEP_ALIVE_SECONDS = 15.0

STREAM = {
    "responses": {
        200: {
            "description": "`text/event-stream`: `node_enter`, `node_complete` and `status`, each with an `id`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    }
}


@router.get(
    "/runs/{uuid:run_id}/events",
    auth=ApiKeyAuth("read"),
    response={200: None, **errors(404)},
    openapi_extra=STREAM,
    summary="Follow a run",
)
async def follow_run(
    request: HttpRequest,
    run_id: UUID,
    last_event_id: Annotated[
        int, Header(0, alias="Last-Event-ID", ge=0, le=2**63 - 1, description="Resume behind this event.")
    ],
) -> StreamingHttpResponse:
    """The data of an event: `node` (a stage, a judge or the status), `badge` (`REVIEW`, `FIX` or empty),
    `round`, `attempt`, `detail`, `created_at`. The stream ends with the run.
    """
    if await _look(run_id, last_event_id) is None:
        raise Http404(_("There is no run of this id."))
    await sync_to_async(close_old_connections)()  # the one that read the key; a stream may stay for minutes
    return StreamingHttpResponse(
        events(run_id, last_event_id),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def events(run_id: UUID, after: int = 0) -> AsyncIterator[str]:
    """The stream's text. A comment keeps it alive where nothing happens."""
    told, quiet_since = "", time.monotonic()
    while (seen := await _look(run_id, after)) is not None:
        status, found = seen
        for event in found:
            yield _message(event.kind, _data(event), event.pk)
            after, quiet_since = event.pk, time.monotonic()
            told = event.node if event.kind == NodeEvent.Kind.STATUS else told
        if status not in IN_PROGRESS:
            if told != status:  # nothing wrote it down; the end is told all the same
                yield _message(NodeEvent.Kind.STATUS, {"node": status})
            return
        if time.monotonic() - quiet_since >= KEEP_ALIVE_SECONDS:
            yield ": still here\n\n"
            quiet_since = time.monotonic()
        await asyncio.sleep(POLL_SECONDS)


async def _look(run_id: UUID, after: int) -> tuple[str, list[NodeEvent]] | None:
    """The status, then the events behind `after`, in this order: none of an ended run is missed.

    In the pool's threads, not in the request's own: an open stream holds neither thread nor connection.
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
