"""REST: exports, streamed at once."""

from dataclasses import replace
from typing import Literal
from uuid import UUID

from django.http import StreamingHttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from generation.access import ApiKeyAuth, ApiRequest
from generation.rest.pagination import Moment
from review.exports.sending import streamed
from review.exports.wanted import FORMATS, Wanted

router = Router(tags=["Exports"])
Format = Literal["jsonl", "csv", "parquet"]
Form = Literal["full", "chat", "preference"]
CONTENT = {
    FORMATS["jsonl"]: {"schema": {"type": "string"}},
    "text/csv": {"schema": {"type": "string"}},
    FORMATS["parquet"]: {"schema": {"type": "string", "format": "binary"}},
}
STREAM = {"responses": {200: {"description": "The file, in portions as it is made.", "content": CONTENT}}}


class ExportFilters(Schema):
    flow: str = Field(default="", description="Its name, as `item`.")
    subcategory: str = Field(default="", description="Its slug.")
    batch: UUID | None = None
    since: Moment | None = Field(default=None, description="Included. Without a zone: UTC.")
    until: Moment | None = Field(default=None, description="Not included. Without a zone: UTC.")


class TrainingFilters(ExportFilters):
    form: Form = Field(
        default="full",
        description="`full`: a row per run with all of it. `chat`: a row per stage, `messages` for fine-tuning. "
        "`preference`: `prompt`, `chosen` and `rejected`, where the approved record is not the first draft.",
    )


@router.get(
    "/exports/reviews.{format}",
    auth=ApiKeyAuth("read"),
    response={200: None},
    openapi_extra=STREAM,
    summary="Export reviewed runs",
)
def export_reviews(request: ApiRequest, format: Format, filters: Query[ExportFilters]) -> StreamingHttpResponse:
    """Runs with a review within the times. As JSON an object per line and run: source, final record, every review
    event, judgements, prompt versions, injections; as CSV and Parquet a row per review."""
    return _streamed(request, Wanted("reviews", format, **filters.dict()))


@router.get(
    "/exports/training.{format}",
    auth=ApiKeyAuth("read"),
    response={200: None},
    openapi_extra=STREAM,
    summary="Export a training set",
)
def export_training(request: ApiRequest, format: Format, filters: Query[TrainingFilters]) -> StreamingHttpResponse:
    """What people approved, within the times, with the prompts as they were sent. A run teaches where its last
    review that stands is a person's `approve` that was not left out. Prompts that were forgotten teach nothing;
    the form `full` tells them as null, with the time."""
    return _streamed(request, Wanted("training", format, **filters.dict()))


@router.get(
    "/exports/judgements.{format}",
    auth=ApiKeyAuth("read"),
    response={200: None},
    openapi_extra=STREAM,
    summary="Export judgements against reviews",
)
def export_judgements(request: ApiRequest, format: Format, filters: Query[ExportFilters]) -> StreamingHttpResponse:
    """A row per judgement made within the times. Beside the last one of each round stands what people said of that
    round, whether they agree, and whether they judged blind."""
    return _streamed(request, Wanted("judgements", format, **filters.dict()))


def _streamed(request: ApiRequest, wanted: Wanted) -> StreamingHttpResponse:
    """To a key that acts for a person nothing that the person must not know yet."""
    wanted.check()
    return streamed(request, replace(wanted, viewer_id=request.auth.user_id))
