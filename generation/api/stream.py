"""A run's progress as server-sent events."""

from typing import Annotated
from uuid import UUID

from django.http import Http404, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Header, Router

from generation import following
from generation.access import ApiKeyAuth, ApiRequest
from generation.blind import judge_hidden
from generation.looking import look
from generation.models import Run
from generation.rest.problems import errors

router = Router(tags=["Runs"])

EXAMPLE = """id: 7
event: node_enter
data: {"node": "judge", "badge": "", "round": 1, "attempt": 1, "detail": "", "created_at": "2026-05-04T12:00:00Z"}

"""
STREAM = {
    "responses": {
        200: {
            "description": "`text/event-stream`: `node_enter`, `node_complete` and `status`, each with an `id`.",
            "content": {
                "text/event-stream": {
                    "schema": {
                        "type": "object",
                        "description": "One message; its `data` is JSON. The last `status` may have no `id`.",
                        "properties": {
                            "id": {"type": "string"},
                            "event": {"enum": ["node_enter", "node_complete", "status"]},
                            "data": {
                                "type": "string",
                                "contentMediaType": "application/json",
                                "contentSchema": {
                                    "type": "object",
                                    "required": ["node"],
                                    "properties": {
                                        "node": {"type": "string"},
                                        "badge": {"enum": ["", "REVIEW", "FIX"]},
                                        "round": {"type": "integer"},
                                        "attempt": {"type": "integer"},
                                        "detail": {"type": "string"},
                                        "created_at": {"type": "string", "format": "date-time"},
                                    },
                                },
                            },
                        },
                    },
                    "example": EXAMPLE,
                }
            },
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
def follow_run(
    request: ApiRequest,
    run_id: UUID,
    last_event_id: Annotated[
        int, Header(0, alias="Last-Event-ID", ge=0, le=2**63 - 1, description="Resume behind this event.")
    ],
) -> StreamingHttpResponse:
    """The data of an event: `node` (a stage, a judge or the status), `badge` (`REVIEW`, `FIX` or empty),
    `round`, `attempt`, `detail` (the code of the error, where there is one), `created_at`. The stream ends with
    the run.
    """
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise Http404(_("There is no run of this id."))
    seen = look(run_id, last_event_id)
    return following.response(run_id, last_event_id, seen, judge=not judge_hidden(run, request.auth.user))
