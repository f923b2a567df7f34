"""REST calls on reviews: give one, list a run's."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Body, Router, Schema, Status
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StrictInt

from generation.access import ApiKeyAuth, ApiRequest
from generation.api.runs import found_run, refuse_unknown
from generation.api.subcategories import by_slug, known_slug
from generation.idempotency import digest, once
from generation.models import Run
from generation.rest.headers import IdempotencyKey
from generation.rest.pagination import Paging, page
from generation.rest.problems import errors
from review.api.access import ReviewerAuth
from review.blindness import sees_reviews
from review.history import corrections
from review.models import SIGNALS, Decision, ReviewEvent, ReviewForm
from review.normalise import name_of, names_of, notes_of, to_bool
from review.recording import Fields, Recorded, submit
from review.words import described

router = Router(tags=["Reviews"])

Signal = Annotated[bool | None, BeforeValidator(to_bool, json_schema_input_type=Any)]
HOW_SAID = "Also `yes`/`no`, `ja`/`nein`, 1/0; anything else is unset."


def signal(name: str) -> Any:
    return Field(default=None, description=f"{described(name)} {HOW_SAID}")


class Said(Schema):
    """The structured fields of a review."""

    model_config = ConfigDict(extra="forbid")

    information_present: Signal = signal("information_present")
    missing_spec: Annotated[list[Annotated[str, AfterValidator(name_of)]], AfterValidator(names_of)] = Field(
        default=[], description=f"{described('missing_spec')} At most 50 names of at most 80 characters."
    )
    bad_format: Signal = signal("bad_format")
    wrong_information: Signal = signal("wrong_information")
    wrong_physical_dimensions: Signal = signal("wrong_physical_dimensions")
    notes: Annotated[str, AfterValidator(notes_of)] = Field(
        default="", description="At most 4,000 characters, stored as written."
    )
    subcategory: Annotated[str, AfterValidator(known_slug)] | None = Field(
        default=None, description="Its slug, where it is corrected."
    )


class ReviewIn(Said):
    """What a reviewer says of the newest draft."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"decision": "revise", "bad_format": True, "missing_spec": ["Voltage"], "notes": "Units!"}
        }
    )

    decision: Decision
    corrections: dict[str, Any] = Field(
        default={},
        description="JSON pointer of a value in `output` → what shall stand there. The record with them is the "
        "next revision, made by this reviewer; not where the decision is `reject`.",
        json_schema_extra={"example": {"/dimensions/length/value": 212}},
    )
    revision: StrictInt | None = Field(
        default=None, description="The draft that was looked at; 409 where a newer one is there."
    )


class ReviewOut(Schema):
    """One event of a run's history."""

    id: int | None = Field(description="null: the review stands, and the history is written in a moment.")
    run: UUID
    sequence: int | None
    kind: str = Field(description="`submitted`; `undone` and `left_out` name the review that they take back.")
    undoes: int | None
    revision: int | None
    round: int
    reviewer: str | None
    service: str | None
    source: str = Field(description="`person`, or `machine`: a service's reviews teach nothing.")
    blind: bool = Field(description="To the other reviewers, or to the judge.")
    blind_to_judge: bool = Field(description="Given without knowing what the judge found.")
    decision: str | None
    information_present: bool | None
    missing_spec: list[str]
    bad_format: bool | None
    wrong_information: bool | None
    wrong_physical_dimensions: bool | None
    notes: str
    corrections: dict[str, Any]
    created_at: datetime
    url: str | None = Field(description="null as long as the id is.")
    web_url: str = Field(description="Its place on the run's page.")


class Reviews(Schema):
    items: list[ReviewOut]
    next_cursor: str | None


@router.post(
    "/runs/{uuid:run_id}/reviews",
    auth=ReviewerAuth(),
    response={201: ReviewOut, **errors(404, 409)},
    summary="Review a run",
)
def create_review(
    request: ApiRequest, run_id: UUID, body: Body[ReviewIn], idempotency_key: IdempotencyKey
) -> Status[ReviewOut]:
    """In the name of the key's person; a service's review decides too, and teaches nothing.
    The same review sent twice is one review. Where several people review a run, it waits for the others
    (`reviews_done` of `reviews_needed`), and a service is none of them.
    """
    refuse_unknown(run_id)
    person = request.auth.user
    fields = Fields(
        decision=body.decision,
        missing_spec=body.missing_spec,
        notes=body.notes,
        subcategory=by_slug(body.subcategory, "/subcategory") if body.subcategory else None,
        values=body.corrections,
        **{name: getattr(body, name) for name in SIGNALS},
    )
    service = "" if person else request.auth.name
    now: list[Recorded] = []  # by this very call

    def make() -> dict[str, Any]:
        recorded = submit(run_id, fields, reviewer=person, service=service, revision=body.revision)
        now.append(recorded)
        return {"event": recorded.event.pk} if recorded.event else {"form": recorded.form.pk}

    made = once(request.auth, idempotency_key, lambda: digest("review", run_id, body.dict()), make)
    if now and (event := now[0].event) and not event.corrections:  # whose numbers the database writes its own way
        return Status(201, event_out(request, event, now[0].form))
    return Status(201, _recorded(request, **made))


@router.get(
    "/runs/{uuid:run_id}/reviews",
    auth=ApiKeyAuth("read"),
    response={200: Reviews, **errors(404)},
    summary="List a run's reviews",
)
def list_reviews(request: ApiRequest, run_id: UUID, paging: Paging) -> Reviews:
    """All review events, oldest first, also those that were taken back. While a run waits for several reviewers, a
    key that acts for a person is told of that person's own alone; an adjudicator's, of all where they disagree.
    """
    found = page(_seen(request, found_run(run_id)), ("sequence",), paging)
    return Reviews(items=[event_out(request, event) for event in found.items], next_cursor=found.next_cursor)


@router.get(
    "/runs/{uuid:run_id}/reviews/{int:event_id}",
    auth=ApiKeyAuth("read"),
    response={200: ReviewOut, **errors(404)},
    summary="Read a run's review",
)
def read_review(request: ApiRequest, run_id: UUID, event_id: int) -> ReviewOut:
    """One event of its history, to whom the list tells it."""
    found = _seen(request, found_run(run_id)).filter(pk=event_id).first()
    if found is None:
        raise Http404(_("This run has no review of this id."))
    return event_out(request, found)


def _seen(request: ApiRequest, run: Run) -> QuerySet[ReviewEvent]:
    rows = ReviewEvent.objects.filter(run=run).select_related("reviewer", "draft")
    if request.auth.user is not None and not sees_reviews(run, request.auth.user):
        rows = rows.visible_to(request.auth.user)
    return rows


def _page(request: ApiRequest, run_id: UUID) -> str:
    return request.build_absolute_uri(reverse("run", args=[run_id]))


def _recorded(request: ApiRequest, event: int | None = None, form: int | None = None) -> ReviewOut:
    """The event of this id, or what the form's will say, where the history could not be written yet."""
    if event is None:
        assert form is not None
        found = ReviewForm.objects.select_related("reviewer", "event", "run", "subcategory").get(pk=form)
        if found.event is None:
            return _form_out(request, found)
        event = found.event.pk
    return event_out(request, ReviewEvent.objects.select_related("reviewer", "draft").get(pk=event))


def _form_out(request: ApiRequest, form: ReviewForm) -> ReviewOut:
    assert form.submitted_at
    return ReviewOut(
        id=None,
        run=form.run_id,
        sequence=None,
        kind=ReviewEvent.Kind.SUBMITTED,
        undoes=None,
        revision=form.revision,
        round=form.round,
        reviewer=form.reviewer.get_username() if form.reviewer else None,
        service=form.service or None,
        source=ReviewEvent.Source.PERSON if form.reviewer else ReviewEvent.Source.MACHINE,
        blind=bool(form.before.get("blind")),
        blind_to_judge=bool(form.before.get("judged_blind")),
        decision=form.decision,
        missing_spec=form.missing_spec,
        notes=form.notes,
        corrections=corrections(form),
        created_at=form.submitted_at,
        url=None,
        web_url=_page(request, form.run_id),
        **{name: getattr(form, name) for name in SIGNALS},
    )


def event_out(request: ApiRequest, event: ReviewEvent, form: ReviewForm | None = None) -> ReviewOut:
    """form: the one that it came of, where that is at hand."""
    looked_at, reviewer = (form, form.reviewer) if form else (event.draft, event.reviewer)
    return ReviewOut(
        id=event.pk,
        run=event.run_id,
        sequence=event.sequence,
        kind=event.kind,
        undoes=event.undoes_id,
        revision=looked_at.revision if looked_at and event.draft_id else None,
        round=event.round,
        reviewer=reviewer.get_username() if reviewer else None,
        service=event.service or None,
        source=event.source,
        blind=event.blind,
        blind_to_judge=event.blind_to_judge,
        decision=event.decision or None,
        missing_spec=event.missing_spec,
        notes=event.notes,
        corrections=event.corrections,
        created_at=event.created_at,
        url=request.build_absolute_uri(reverse("api:read_review", args=[event.run_id, event.pk])),
        web_url=f"{_page(request, event.run_id)}#review-{event.sequence}",
        **{name: getattr(event, name) for name in SIGNALS},
    )
