"""REST calls on a run's place in the queue: set aside, put back, keep it for somebody. For adjudicators."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from ninja import Body, Router, Schema, Status
from ninja.errors import AuthorizationError
from pydantic import ConfigDict, Field

from generation.access import ApiRequest
from generation.api.runs import found_run
from generation.errors import BadInput, Conflict
from generation.models import Status as RunStatus
from generation.rest.problems import errors
from review import assigning, setting_aside
from review.api.access import ReviewerAuth, person_of
from review.groups import CAN_PLACE, CAN_REVIEW
from review.models import Assignment, Placement
from review.models.placement import LONGEST_WHY

router = Router(tags=["Queue"])
LONGEST_HOURS = 366 * 24


class WhyIn(Schema):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"why": "The source is wrong."}})

    why: str = Field(default="", max_length=LONGEST_WHY, description="Shown to who comes upon the run.")


class PlacementOut(Schema):
    """A run was taken out of the queue, or put back into it."""

    run: UUID
    kind: str = Field(description="`set_aside` or `put_back`.")
    person: str
    why: str
    created_at: datetime


class AssignmentIn(Schema):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"person": "ada", "hours": 8}})

    person: str = Field(description="User name of a reviewer.")
    hours: float | None = Field(
        default=None,
        strict=True,
        gt=0,
        le=LONGEST_HOURS,
        description="For how long; without it as the installation has it.",
    )


class AssignmentOut(Schema):
    """A run is kept for one person; afterwards it is everybody's again."""

    run: UUID
    person: str
    by: str
    until: datetime


Why = Annotated[WhyIn | None, Body(None)]


@router.post(
    "/runs/{uuid:run_id}/set-aside",
    auth=ReviewerAuth(),
    response={201: PlacementOut, **errors(404, 409)},
    summary="Set a run aside",
)
def set_run_aside(request: ApiRequest, run_id: UUID, body: Why) -> Status[PlacementOut]:
    """Offers it to nobody, whatever becomes of it otherwise, until it is put back. Who holds it loses it."""
    by = _placer(request)
    found_run(run_id)
    return Status(201, _placement(setting_aside.set_aside(run_id, by, body.why if body else "")))


@router.post(
    "/runs/{uuid:run_id}/put-back",
    auth=ReviewerAuth(),
    response={201: PlacementOut, **errors(404, 409)},
    summary="Put a run back",
)
def put_run_back(request: ApiRequest, run_id: UUID, body: Why) -> Status[PlacementOut]:
    """Into the queue again, at the place that its waiting gives it."""
    by = _placer(request)
    found_run(run_id)
    return Status(201, _placement(setting_aside.put_back(run_id, by, body.why if body else "")))


@router.put(
    "/runs/{uuid:run_id}/assignment",
    auth=ReviewerAuth(),
    response={200: AssignmentOut, **errors(404, 409)},
    summary="Assign a run",
)
def assign_run(request: ApiRequest, run_id: UUID, body: Body[AssignmentIn]) -> AssignmentOut:
    """Keeps a run that is up for review for one person, until a time. An earlier assignment is replaced."""
    by = _placer(request)
    run = found_run(run_id)
    person = User.objects.filter(username=body.person, is_active=True).first()
    if person is None or not person.has_perm(CAN_REVIEW):
        raise BadInput.at("/person", _("There is no reviewer of this name."))
    if not assigning.assign([run_id], person, by, hours=body.hours):
        if run.is_up_for_review:
            raise Conflict(_("It is not for this person to review this run."))
        words = {"status": RunStatus(run.shown_status).label}
        raise Conflict(_("This run is not up for review; it is %(status)s.") % words)
    made = Assignment.objects.select_related("person", "by").get(run=run_id)
    return AssignmentOut(run=run_id, person=made.person.username, by=made.by.username, until=made.until)


@router.delete(
    "/runs/{uuid:run_id}/assignment",
    auth=ReviewerAuth(),
    response={204: None, **errors(404, 409)},
    summary="Give an assigned run to everybody",
)
def unassign_run(request: ApiRequest, run_id: UUID) -> Status[None]:
    """Nothing happens where it is kept for nobody."""
    by = _placer(request)
    assigning.assign([found_run(run_id).pk], None, by)
    return Status(204, None)


def _placer(request: ApiRequest) -> User:
    """The key's person, who may place runs."""
    person = person_of(request)
    if not person.has_perm(CAN_PLACE):
        raise AuthorizationError(message=_("The person of this key is no adjudicator."))
    return person


def _placement(placed: Placement) -> PlacementOut:
    placed.refresh_from_db()
    return PlacementOut(
        run=placed.run_id,
        kind=placed.kind,
        person=placed.person.username,
        why=placed.why,
        created_at=placed.created_at,
    )
