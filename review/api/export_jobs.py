"""REST: exports that the worker writes; asked for, followed, fetched whole or in part, and deleted."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Body, Router, Schema, Status
from pydantic import ConfigDict, Field

from generation.access import ApiKeyAuth, ApiRequest
from generation.clock import told
from generation.errors import Conflict
from generation.idempotency import digest, once
from generation.rest.headers import IdempotencyKey
from generation.rest.pagination import Paging, page
from generation.rest.problems import errors, problem
from review.api.exports import CONTENT, Format, TrainingFilters
from review.exports import jobs
from review.exports.sending import OutOfRange, of_file
from review.exports.wanted import Wanted
from review.models import Export

router = Router(tags=["Exports"])
FILE = {
    "parameters": [
        {
            "in": "header",
            "name": "Range",
            "required": False,
            "schema": {"type": "string"},
            "description": "One range of bytes, as `bytes=1048576-`: to go on where a transfer broke. With "
            "`If-Range` and the file's `ETag` the whole file comes where it is another by now.",
        }
    ],
    "responses": {
        200: {"description": "The file.", "content": CONTENT},
        206: {"description": "The part of it that was asked for.", "content": CONTENT},
    },
}


class ExportIn(TrainingFilters):
    """What the worker shall write."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"kind": "training", "format": "jsonl", "form": "chat", "flow": "item"}},
    )

    kind: Literal["reviews", "training", "judgements"]
    format: Format = "jsonl"
    form: Literal["", "full", "chat", "preference"] = Field(  # type: ignore[assignment]
        default="", description="Of the training set: as its own call has it."
    )


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


class Exports(Schema):
    items: list[ExportOut]
    next_cursor: str | None


@router.post(
    "/exports",
    auth=ApiKeyAuth("read"),
    response={202: ExportOut, **errors(409)},
    summary="Have an export written",
)
def create_export(
    request: ApiRequest, response: HttpResponse, body: Body[ExportIn], idempotency_key: IdempotencyKey
) -> Status[ExportOut]:
    """The worker writes it into a file; follow `url` until it is done, then fetch `file_url`."""
    wanted = Wanted(**body.dict(), viewer_id=request.auth.user_id)

    def make() -> dict[str, Any]:
        return {"export": str(jobs.start(wanted, by=request.auth.user, api_key=request.auth.name).pk)}

    made = once(request.auth, idempotency_key, lambda: digest("export", wanted.as_json()), make)
    found = Export.objects.filter(pk=made["export"]).first()
    if found is None:
        raise Conflict(_("The export that this Idempotency-Key made was deleted since."))
    out = _out(request, found)
    response["Location"] = out.url
    return Status(202, out)


@router.get("/exports", auth=ApiKeyAuth("read"), response=Exports, summary="List exports")
def list_exports(request: ApiRequest, paging: Paging) -> dict[str, Any]:
    """Newest first: to a service's key all that there are, to one that acts for a person that person's own."""
    found = page(_visible(request), ("-id",), paging)
    return {"items": [_out(request, export) for export in found.items], "next_cursor": found.next_cursor}


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
    response={200: None, 206: None, **errors(404, 409, 416)},
    openapi_extra=FILE,
    summary="Fetch an export's file",
)
def get_export_file(request: ApiRequest, export_id: UUID) -> HttpResponseBase:
    """409 until it is done. A transfer that broke goes on with `Range`; the file never changes."""
    try:
        return of_file(request, _found(request, export_id))
    except OutOfRange as error:
        return problem(416, _("The file has no such bytes."), headers=error.headers)


@router.delete(
    "/exports/{uuid:export_id}",
    auth=ApiKeyAuth("read"),
    response={204: None, **errors(404)},
    summary="Delete an export",
)
def delete_export(request: ApiRequest, export_id: UUID) -> Status[None]:
    """With its file; one that is being written stops. Of those that this key asked for, or its person."""
    mine = {"by": request.auth.user} if request.auth.user else {"by": None, "api_key": request.auth.name}
    if not Export.objects.filter(pk=export_id, **mine).exists():
        raise Http404(_("You asked for no such export."))
    jobs.delete(export_id)
    return Status(204, None)


def _visible(request: ApiRequest) -> QuerySet[Export]:
    return Export.objects.filter(by=request.auth.user) if request.auth.user else Export.objects.all()


def _found(request: ApiRequest, export_id: UUID) -> Export:
    export = _visible(request).filter(pk=export_id).first()
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
    times = {name: told(datetime.fromisoformat(wanted[name])) for name in ("since", "until") if name in wanted}
    url = request.build_absolute_uri(reverse("api:get_export", args=[export.pk]))
    return ExportOut(
        **{name: getattr(export, name) for name in facts},
        kind=kind,
        format=format_,
        form=form,
        filters=wanted | times,
        error=export.error or None,
        expires_at=export.expires_at,
        url=url,
        file_url=f"{url}/file" if export.state == Export.State.DONE else None,
        web_url=request.build_absolute_uri(reverse("exports")),
    )
