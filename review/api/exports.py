"""REST: exports, streamed at once or written by the worker and fetched by a link."""

from dataclasses import replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Body, Query, Router, Schema, Status
from pydantic import ConfigDict, Field

from generation.access import ApiKeyAuth, ApiRequest
from generation.rest.pagination import Moment
from generation.rest.problems import errors
from review.exports import jobs
from review.exports.sending import of_file, streamed
from review.exports.wanted import FORMATS, Wanted
from review.models import Export

router = Router(tags=["Exports"])
Format = Literal["jsonl", "csv", "parquet"]
Form = Literal["full", "chat", "preference"]
STREAM = {
    "responses": {
        200: {
            "description": "The file, in portions as it is made.",
            "content": {
                FORMATS["jsonl"]: {"schema": {"type": "string"}},
                "text/csv": {"schema": {"type": "string"}},
                FORMATS["parquet"]: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    }
}


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


class ExportIn(TrainingFilters):
    """What the worker shall write."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"kind": "training", "format": "jsonl", "form": "chat", "flow": "item"}},
    )

    kind: Literal["reviews", "training", "judgements"]
    format: Format = "jsonl"
    form: Form | Literal[""] = Field(default="", description="Of the training set: as its own call has it.")  # type: ignore[assignment]


class ExportOut(Schema):
    """An export that the worker writes."""

    id: UUID
    kind: str
    format: str
    form: str | None
    filters: dict[str, str]
    state: str = Field(description="`queued`, `running`, `done` or `failed`.", examples=["running"])
    error: str | None = Field(
        description="Why it failed: `no_space`, `not_writable`, `gave_up`, `internal_error`."
    )
    total: int | None = Field(description="Runs (or judgements) to look at, as of its beginning.")
    looked_at: int
    rows: int = Field(description="Written so far.")
    left_out: dict[str, int] = Field(description="Why some gave no row, and how many: `forgotten`, `left_out`, …")
    bytes: int
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None = Field(description="When the file is deleted.")
    url: str
    file_url: str | None = Field(description="The file, once it is done.")
    web_url: str


@router.post(
    "/exports",
    auth=ApiKeyAuth("read"),
    response={202: ExportOut, **errors(409)},
    summary="Have an export written",
)
def create_export(request: ApiRequest, response: HttpResponse, body: Body[ExportIn]) -> Status[ExportOut]:
    """The worker writes it into a file; follow `url` until it is done, then fetch `file_url`."""
    wanted = Wanted(**body.dict(), viewer_id=request.auth.user_id)
    found = jobs.start(wanted, by=request.auth.user, api_key=request.auth.name)
    out = _out(request, found)
    response["Location"] = out.url
    return Status(202, out)


@router.get(
    "/exports/{uuid:export_id}",
    auth=ApiKeyAuth("read"),
    response={200: ExportOut, **errors(404)},
    summary="Read how far an export is",
)
def get_export(request: ApiRequest, export_id: UUID) -> ExportOut:
    """Any service's key may, whoever asked for it; a key that acts for a person its own."""
    return _out(request, _found(request, export_id))


@router.get(
    "/exports/{uuid:export_id}/file",
    auth=ApiKeyAuth("read"),
    response={200: None, **errors(404, 409)},
    openapi_extra=STREAM,
    summary="Fetch an export's file",
)
def get_export_file(request: ApiRequest, export_id: UUID) -> StreamingHttpResponse:
    """409 until it is done."""
    return of_file(request, _found(request, export_id))


def _found(request: ApiRequest, export_id: UUID) -> Export:
    own = {"by": request.auth.user} if request.auth.user else {}
    export = Export.objects.filter(pk=export_id, **own).first()
    if export is None:
        raise Http404(
            _("There is no such export; files are kept for %d days.") % settings.FOLDBACK_KEEP_EXPORTS_DAYS
        )
    return export


def _out(request: HttpRequest, export: Export) -> ExportOut:
    facts = ("id", "state", "total", "looked_at", "rows", "left_out", "bytes", "created_at", "finished_at")
    wanted = dict(export.wanted)
    wanted.pop("viewer_id", None)
    kind, format_, form = (wanted.pop(name, None) for name in ("kind", "format", "form"))
    url = request.build_absolute_uri(reverse("api:get_export", args=[export.pk]))
    return ExportOut(
        **{name: getattr(export, name) for name in facts},
        kind=kind,
        format=format_,
        form=form,
        filters=wanted,
        error=export.error or None,
        expires_at=export.expires_at,
        url=url,
        file_url=f"{url}/file" if export.state == Export.State.DONE else None,
        web_url=request.build_absolute_uri(reverse("exports")),
    )
