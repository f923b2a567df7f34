"""REST: the export of reviewed runs, streamed."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from generation.access import ApiKeyAuth, ApiRequest
from generation.flows import flow as flow_named
from generation.rest.pagination import Moment
from review.exporting import lines

router = Router(tags=["Exports"])
LINES_AT_ONCE = 50
STREAM = {"responses": {200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}}}


class ExportFilters(Schema):
    flow: str = ""
    since: Moment | None = Field(default=None, description="Runs with a review from then on.")


@router.get(
    "/exports/reviews.jsonl",
    auth=ApiKeyAuth("read"),
    response={200: None},
    openapi_extra=STREAM,
    summary="Export reviewed runs",
)
def export_reviews(request: ApiRequest, filters: Query[ExportFilters]) -> StreamingHttpResponse:
    """One JSON object per line and run: source, final record, every review event, prompt versions, injections.
    A key that acts for a person gets nothing that the person must not know while they may still review a run.
    """
    if filters.flow:
        flow_named(filters.flow)
    found = lines(flow=filters.flow or None, since=filters.since, viewer=request.auth.user)
    return StreamingHttpResponse(
        _in_portions(found) if isinstance(request, ASGIRequest) else found,
        content_type="application/x-ndjson",
        headers={"Content-Disposition": 'attachment; filename="reviews.jsonl"'},
    )


async def _in_portions(found: Iterator[str]) -> AsyncIterator[str]:
    """Over ASGI, Django would read a plain iterator to its end before it sends the first byte."""
    while portion := await sync_to_async(lambda: "".join(islice(found, LINES_AT_ONCE)))():
        yield portion
