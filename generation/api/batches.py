"""REST calls on batches: make many runs at once, list batches, read one with its progress."""

from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.db.models import Count
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Body, Query, Router, Schema
from ninja import Status as Answer
from pydantic import ConfigDict, Field, PlainValidator, StrictBool, WithJsonSchema

from generation.access import ApiKeyAuth, ApiRequest
from generation.batches import MOST_RUNS, create_many
from generation.deferring.waiting import waiting_in
from generation.errors import BadInput
from generation.idempotency import digest, once
from generation.intake import RunIn
from generation.models import Batch, Status
from generation.models.run import IN_PROGRESS
from generation.rest.headers import IdempotencyKey
from generation.rest.pagination import CreatedFrom, CreatedOutside, PageQuery, page
from generation.rest.problems import ProblemField, errors

router = Router(tags=["Batches"])
# One run of a batch is read by itself later, so that a bad one does not refuse the others.
Bad = Annotated[Any, WithJsonSchema({"description": "What is no run is named in `errors`, with its index."})]
UnreadRun = Annotated[Any, PlainValidator(lambda given: given, json_schema_input_type=RunIn | Bad)]


class BatchIn(Schema):
    """Runs to make together."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="", max_length=200)
    parallel: StrictBool = False
    spend_cap_usd: Annotated[
        Decimal | None,
        Field(
            default=None,
            gt=0,
            max_digits=12,
            decimal_places=6,
            description="What its calls may cost; its runs then wait until `manage.py set_spend_cap` raises it.",
        ),
    ] = None
    economy: StrictBool = Field(
        default=False,
        description="Every run whose own `options.economy` does not say is made by the provider's batch interface,"
        " at half the price; 422 where it has none.",
    )
    runs: list[UnreadRun] = Field(min_length=1, max_length=MOST_RUNS)


class BadRun(Schema):
    index: int = Field(description="Its place in `runs`, from 0.")
    detail: str
    errors: list[ProblemField]


class BatchMade(Schema):
    batch: UUID | None = Field(description="null: every run was bad, and no batch was made.")
    created: int
    runs: list[UUID] = Field(description="Those that were made, in the order given.")
    errors: list[BadRun]
    url: str | None = Field(description="null where the batch is.")
    web_url: str | None = Field(description="Where people follow it.")


class BatchLine(Schema):
    """Runs that were made together."""

    id: UUID
    name: str
    parallel: bool
    spend_cap_usd: float | None
    cost_usd: float
    created_at: datetime
    url: str
    web_url: str = Field(description="Where people follow it.")


class Waiting(Schema):
    """Runs that wait for the provider's batch interface."""

    to_send: int = Field(description="Not sent yet: it is not their turn, or the cap leaves no money for them.")
    at_provider: int
    since: datetime | None = Field(description="Of the one that waits longest; null where none waits.")


class BatchOut(BatchLine):
    """A batch with its progress, read off its runs."""

    total: int
    open: int = Field(description="Runs that are still being made; the batch is over at 0.")
    runs: dict[str, int] = Field(
        description="How many runs are in each status.", examples=[{"awaiting_review": 9, "failed": 1}]
    )
    has_failed: bool = Field(description="One failed run marks the batch.")
    waiting: Waiting


class Batches(Schema):
    items: list[BatchLine]
    next_cursor: str | None


class BatchFilters(PageQuery):
    name: Annotated[str, Field(description="As it was given.")] = ""
    created_from: CreatedFrom = None
    created_after: CreatedOutside = None


@router.post(
    "/runs/batch",
    auth=ApiKeyAuth("write"),
    response={202: BatchMade, **errors(409)},
    summary="Make many runs",
    tags=["Runs"],
)
def create_batch(
    request: ApiRequest, body: Body[BatchIn], idempotency_key: IdempotencyKey
) -> Answer[dict[str, Any]]:
    """At most 1,000 at once. Bad ones are named with their place, the good ones go in; where there is none, no
    batch is made."""

    def make() -> dict[str, Any]:
        batch, made, refused = create_many(
            body.runs,
            name=body.name,
            parallel=body.parallel,
            spend_cap_usd=body.spend_cap_usd,
            economy=body.economy,
            author=request.auth.user,
        )
        bad = [_bad(index, error) for index, error in refused]
        return {"batch": str(batch.pk) if batch else None, "runs": [str(run_id) for run_id in made], "errors": bad}

    found = once(request.auth, idempotency_key, lambda: digest("batch", _asked(body)), make)
    none = {"url": None, "web_url": None}
    where = _addresses(request, UUID(found["batch"])) if found["batch"] else none
    return Answer(202, {**found, "created": len(found["runs"]), **where})


def _asked(body: BatchIn) -> dict[str, Any]:
    asked = body.dict()
    if not asked["economy"]:  # as digests were before there was this field
        del asked["economy"]
    return asked


def _bad(index: int, error: BadInput) -> dict[str, Any]:
    fields = [asdict(field) for field in error.told(f"/runs/{index}")]
    return {"index": index, "detail": error.summary, "errors": fields}


@router.get("/batches", auth=ApiKeyAuth("read"), response=Batches, summary="List batches")
def list_batches(request: HttpRequest, filters: Query[BatchFilters]) -> dict[str, Any]:
    """Newest first; progress is answered for a single batch alone."""
    wanted = {
        "name": filters.name,
        "created_at__gte": filters.created_from,
        "created_at__gt": filters.created_after,
    }
    rows = Batch.objects.filter(**{name: value for name, value in wanted.items() if value})
    found = page(rows, ("-id",), filters)
    return {"items": [_line(request, batch) for batch in found.items], "next_cursor": found.next_cursor}


@router.get(
    "/batches/{uuid:batch_id}",
    auth=ApiKeyAuth("read"),
    response={200: BatchOut, **errors(404)},
    summary="Read a batch",
)
def read_batch(request: ApiRequest, batch_id: UUID) -> dict[str, Any]:
    """With its progress, as the key's person may know it; `GET /runs?batch=…` lists its runs."""
    batch = Batch.objects.filter(pk=batch_id).first()
    if batch is None:
        raise Http404(_("There is no batch of this id."))
    told = "shown_status" if request.auth.user else "status"
    counts = dict(sorted(batch.runs.order_by().values_list(told).annotate(count=Count("pk"))))
    return {
        **_line(request, batch),
        "total": sum(counts.values()),
        "open": sum(counts.get(status, 0) for status in IN_PROGRESS),
        "runs": counts,
        "has_failed": Status.FAILED in counts,
        "waiting": waiting_in(batch.pk),
    }


def _line(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    return {
        "id": batch.pk,
        "name": batch.name,
        "parallel": batch.parallel,
        "spend_cap_usd": None if batch.spend_cap_usd is None else float(batch.spend_cap_usd),
        "cost_usd": float(batch.cost_usd),
        "created_at": batch.created_at,
        **_addresses(request, batch.pk),
    }


def _addresses(request: HttpRequest, batch_id: UUID) -> dict[str, str]:
    return {
        "url": request.build_absolute_uri(reverse("api:read_batch", args=[batch_id])),
        "web_url": request.build_absolute_uri(reverse("batch", args=[batch_id])),
    }
