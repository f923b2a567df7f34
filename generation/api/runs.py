"""REST calls on runs: make, list, read, retry, cancel."""

from typing import Annotated, Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Body, Query, Router
from ninja import Status as Answer
from pydantic import Field, PlainValidator

from generation import freshness, runs
from generation.access import ApiKeyAuth, ApiRequest
from generation.api import shapes
from generation.blind import drafts_seen, judge_hidden
from generation.intake import RunIn
from generation.models import Call, Run, Status
from generation.models.run import WITH_RECORD
from generation.new_run import parse_named
from generation.rest.conditional import version
from generation.rest.headers import IdempotencyKey
from generation.rest.pagination import CreatedFrom, CreatedOutside, PageQuery, Paging, page
from generation.rest.problems import errors

router = Router(tags=["Runs"])
NewRun = Annotated[RunIn, PlainValidator(parse_named, json_schema_input_type=RunIn)]


class RunFilters(PageQuery):
    status: Status | None = None
    flow: Annotated[str, Field(description="Its name, as `item`.")] = ""
    subcategory: Annotated[str, Field(description="Its slug.")] = ""
    batch: UUID | None = None
    external_id: str = ""
    institution: Annotated[str, Field(description="Its slug.")] = ""
    created_from: CreatedFrom = None
    created_after: CreatedOutside = None
    created_before: CreatedOutside = None
    reviewed_by: Annotated[
        str, Field(description="Name of a person who submitted a review of it, also one undone since.")
    ] = ""


@router.post("/runs", auth=ApiKeyAuth("write"), response={202: shapes.RunOut, **errors(409)}, summary="Make a run")
def create_run(
    request: ApiRequest,
    response: HttpResponse,
    body: Annotated[NewRun, Body(...)],
    idempotency_key: IdempotencyKey,
) -> Answer[shapes.RunOut]:
    """Stores the source and queues its generation; poll the run or follow its events."""
    run = runs.create(body, api_key=request.auth, idempotency_key=idempotency_key)
    found = shapes.whole(request, found_run(run.pk))
    response["Location"] = found.url
    return Answer(202, found)


@router.get("/runs", auth=ApiKeyAuth("read"), response=shapes.Runs, summary="List runs")
def list_runs(request: ApiRequest, filters: Query[RunFilters]) -> dict[str, Any]:
    """Newest first. `output`, `judgements` and `injections` are answered for a single run alone. A key that acts
    for a person finds by what they may know: what is reviewed without knowing the judge is `awaiting_review`.
    """
    person = request.auth.user
    rows = Run.objects.select_related("subcategory", "institution").defer(
        "options", "trigger_state", "first_trigger_state"
    )
    wanted: dict[str, Any] = {
        "shown_status" if person else "status": filters.status,
        "flow": filters.flow,
        "subcategory__slug": filters.subcategory,
        "batch": filters.batch,
        "external_id": filters.external_id,
        "institution__slug": filters.institution,
        "created_at__gte": filters.created_from,
        "created_at__gt": filters.created_after,
        "created_at__lt": filters.created_before,
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
def read_run(request: ApiRequest, response: HttpResponse, run_id: UUID) -> shapes.RunOut:
    """The run with its newest record, all judgements, and every guidance text that went into its prompts."""
    _version(request, response, run_id)
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
    items = [shapes.draft(request, row, hidden=hidden) for row in found.items]
    return shapes.Drafts(items=items, next_cursor=found.next_cursor)


@router.get(
    "/runs/{uuid:run_id}/drafts/{int:revision}",
    auth=ApiKeyAuth("read"),
    response={200: shapes.DraftOut, **errors(404)},
    summary="Read a run's draft",
)
def read_draft(request: ApiRequest, run_id: UUID, revision: int) -> shapes.DraftOut:
    """One revision of the record, where the key's person may know it."""
    run = found_run(run_id)
    row = drafts_seen(run, request.auth.user).filter(revision=revision).select_related("author").first()
    if row is None:
        raise Http404(_("This run has no draft of this revision."))
    return shapes.draft(request, row, hidden=judge_hidden(run, request.auth.user))


@router.get(
    "/runs/{uuid:run_id}/calls",
    auth=ApiKeyAuth("read"),
    response={200: shapes.Calls, **errors(404)},
    summary="List a run's calls",
)
def list_calls(request: ApiRequest, response: HttpResponse, run_id: UUID, paging: Paging) -> shapes.Calls:
    """Every request to a provider with its prompt as sent, oldest first; none while the key's person must not know
    what the judge found.
    """
    _version(request, response, run_id)
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


def _version(request: ApiRequest, response: HttpResponse, run_id: UUID) -> None:
    """For services. What a person is told hangs on what they may know as well: theirs is read off the answer."""
    if request.auth.user is None and (found := freshness.of_run(run_id)):
        version(request, response, found)


def refuse_unknown(run_id: UUID) -> None:
    """404 where there is no such run."""
    if not Run.objects.filter(pk=run_id).exists():
        raise _unknown()


def found_run(run_id: UUID) -> Run:
    """With what its shapes read; 404 where there is none."""
    run = Run.objects.select_related("subcategory", "institution").filter(pk=run_id).first()
    if run is None:
        raise _unknown()
    return run


def _unknown() -> Http404:
    return Http404(_("There is no run of this id."))
