"""REST calls on runs: make, list, read, retry, cancel."""

from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Body, Header, Query, Router, Schema
from ninja import Status as Answer
from pydantic import ConfigDict, Field, PlainValidator

from generation import runs
from generation.access import ApiKeyAuth, ApiRequest
from generation.api import shapes
from generation.batches import MOST_RUNS, create_many
from generation.blind import drafts_seen, judge_hidden
from generation.intake import RunIn, parse
from generation.models import Call, Run, Status
from generation.models.run import WITH_RECORD
from generation.rest.pagination import Moment, PageQuery, Paging, page
from generation.rest.problems import ProblemField, errors

router = Router(tags=["Runs"])
NewRun = Annotated[RunIn, PlainValidator(parse, json_schema_input_type=RunIn)]
# One run of a batch is read by itself later, so that a bad one does not refuse the others.
UnreadRun = Annotated[Any, PlainValidator(lambda given: given, json_schema_input_type=RunIn)]


class BatchIn(Schema):
    """Runs to make together."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="", max_length=200)
    parallel: bool = False
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
    runs: list[UnreadRun] = Field(min_length=1, max_length=MOST_RUNS)


class BadRun(Schema):
    index: int = Field(description="Its place in `runs`, from 0.")
    detail: str
    errors: list[ProblemField]


class BatchOut(Schema):
    batch: UUID
    created: int
    runs: list[UUID] = Field(description="Those that were made, in the order given.")
    errors: list[BadRun]


class RunFilters(PageQuery):
    status: Status | None = None
    flow: Annotated[str, Field(description="Its name, as `item`.")] = ""
    subcategory: Annotated[str, Field(description="Its slug.")] = ""
    batch: UUID | None = None
    external_id: str = ""
    created_after: Annotated[Moment | None, Field(description="Without a zone: UTC.")] = None
    reviewed_by: Annotated[
        str, Field(description="Name of a person who submitted a review of it, also one undone since.")
    ] = ""


@router.post("/runs", auth=ApiKeyAuth("write"), response={202: shapes.RunOut, **errors(409)}, summary="Make a run")
def create_run(
    request: ApiRequest,
    response: HttpResponse,
    body: Annotated[NewRun, Body(...)],
    idempotency_key: Annotated[
        str,
        Header(
            "",
            alias="Idempotency-Key",
            max_length=200,
            description="The same key and body give the same run, however often they are sent; another body: 409.",
        ),
    ],
) -> Answer[shapes.RunOut]:
    """Stores the source and queues its generation; poll the run or follow its events."""
    run = runs.create(body, api_key=request.auth, idempotency_key=idempotency_key)
    found = shapes.whole(request, found_run(run.pk))
    response["Location"] = found.url
    return Answer(202, found)


@router.post("/runs/batch", auth=ApiKeyAuth("write"), response={202: BatchOut}, summary="Make many runs")
def create_batch(request: ApiRequest, body: Body[BatchIn]) -> BatchOut:
    """At most 1,000 at once. Bad ones are named with their place, the good ones go in."""
    batch, made, refused = create_many(
        body.runs,
        name=body.name,
        parallel=body.parallel,
        spend_cap_usd=body.spend_cap_usd,
        author=request.auth.user,
    )
    return BatchOut(
        batch=batch.pk,
        created=len(made),
        runs=made,
        errors=[
            BadRun(
                index=index,
                detail=str(error),
                errors=[
                    ProblemField(pointer=f"/runs/{index}{field.pointer}", detail=field.detail)
                    for field in error.problems
                ],
            )
            for index, error in refused
        ],
    )


@router.get("/runs", auth=ApiKeyAuth("read"), response=shapes.Runs, summary="List runs")
def list_runs(request: ApiRequest, filters: Query[RunFilters]) -> dict[str, Any]:
    """Newest first. `output`, `judgements` and `injections` are answered for a single run alone. A key that acts
    for a person finds by what they may know: what is reviewed without knowing the judge is `awaiting_review`.
    """
    person = request.auth.user
    rows = Run.objects.select_related("subcategory", "institution").defer("options", "trigger_state")
    wanted: dict[str, Any] = {
        "shown_status" if person else "status": filters.status,
        "flow": filters.flow,
        "subcategory__slug": filters.subcategory,
        "batch": filters.batch,
        "external_id": filters.external_id,
        "created_at__gt": filters.created_after,
    }
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    by: tuple[str, ...] = ("-created_at", "-id")
    if filters.reviewed_by:
        # Named as text, since generation knows no review: the relation that review adds to runs. By id alone,
        # which begins with the time of its making too: that is the order of the index on a reviewer's events.
        by_whom = User.objects.filter(username=filters.reviewed_by).values_list("pk", flat=True).first()
        known = Q(review_events__reviewer=by_whom or 0, review_events__kind="submitted")
        if person is not None and person.pk != by_whom:  # of a run that waits for others each knows the own alone
            settled = Q(reviews_from__isnull=True) | Q(reviews_from__gt=F("review_events__sequence"))
            known &= settled | ~WITH_RECORD
        rows = rows.filter(known).distinct("id")
        by = ("-id",)
    found = page(rows, by, filters)
    return {"items": [shapes.line(request, run) for run in found.items], "next_cursor": found.next_cursor}


@router.get(
    "/runs/{uuid:run_id}",
    auth=ApiKeyAuth("read"),
    response={200: shapes.RunOut, **errors(404)},
    summary="Read a run",
)
def read_run(request: HttpRequest, run_id: UUID) -> shapes.RunOut:
    """The run with its newest record, all judgements, and every guidance text that went into its prompts."""
    return shapes.whole(request, found_run(run_id))


@router.get(
    "/runs/{uuid:run_id}/drafts",
    auth=ApiKeyAuth("read"),
    response={200: shapes.Drafts, **errors(404)},
    summary="List a run's drafts",
)
def list_drafts(request: ApiRequest, run_id: UUID, paging: Paging) -> shapes.Drafts:
    """Every revision of the record that the key's person may know, oldest first; a service's key: every one."""
    run = found_run(run_id)
    rows = drafts_seen(run, request.auth.user).select_related("author")
    found = page(rows, ("revision",), paging)
    hidden = judge_hidden(run, request.auth.user)
    items = [shapes.draft(row, hidden=hidden) for row in found.items]
    return shapes.Drafts(items=items, next_cursor=found.next_cursor)


@router.get(
    "/runs/{uuid:run_id}/calls",
    auth=ApiKeyAuth("read"),
    response={200: shapes.Calls, **errors(404)},
    summary="List a run's calls",
)
def list_calls(request: ApiRequest, run_id: UUID, paging: Paging) -> shapes.Calls:
    """Every request to a provider with its prompt as sent, oldest first; none while the key's person must not know
    what the judge found.
    """
    run = found_run(run_id)
    rows = Call.objects.filter(run=run).select_related("prompt_version")
    if judge_hidden(run, request.auth.user):
        rows = rows.none()
    found = page(rows, ("id",), paging)
    return shapes.Calls(items=[shapes.call(row) for row in found.items], next_cursor=found.next_cursor)


@router.post(
    "/runs/{uuid:run_id}/retry",
    auth=ApiKeyAuth("write"),
    response={202: shapes.RunOut, **errors(404, 409)},
    summary="Retry a run",
)
def retry_run(request: HttpRequest, run_id: UUID) -> Answer[shapes.RunOut]:
    """Queues a failed, stopped or rejected run again; all that came before is kept."""
    found_run(run_id)
    runs.retry(run_id)
    return Answer(202, shapes.whole(request, found_run(run_id)))


@router.post(
    "/runs/{uuid:run_id}/cancel",
    auth=ApiKeyAuth("write"),
    response={202: shapes.RunOut, **errors(404, 409)},
    summary="Cancel a run",
)
def cancel_run(request: HttpRequest, run_id: UUID) -> Answer[shapes.RunOut]:
    """Stops a run that is queued or in progress."""
    found_run(run_id)
    runs.cancel(run_id)
    return Answer(202, shapes.whole(request, found_run(run_id)))


def found_run(run_id: UUID) -> Run:
    """With what its shapes read; 404 where there is none."""
    run = Run.objects.select_related("subcategory", "institution").filter(pk=run_id).first()
    if run is None:
        raise Http404(_("There is no run of this id."))
    return run
