"""REST calls on the queue: claim the next run, give one back."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Body, Router, Schema, Status
from pydantic import ConfigDict, Field

from generation.access import ApiRequest
from generation.api import shapes
from generation.api.runs import found_run
from generation.api.subcategories import by_slug
from generation.flows import flow as flow_named
from generation.rest.problems import errors
from review import queue
from review.api.access import ReviewerAuth, person_of

router = Router(tags=["Queue"])


MOST_EXCLUDED = 200


class ClaimIn(Schema):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"flow": "item", "exclude": ["01a2032a-ff45-7ae0-a4fc-111561810626"]}},
    )

    flow: str | None = None
    subcategory: str | None = Field(default=None, description="Its slug.")
    exclude: list[UUID] = Field(
        default=[],
        max_length=MOST_EXCLUDED,
        description="Runs that shall not come: skipped ones, and the one on screen while the next is fetched.",
    )


class ClaimedRun(shapes.RunFacts):
    """The run as its reviewer may know it, and until when it is held for this person."""

    output: Any | None = Field(description="The newest draft's record.")
    judgements: list[shapes.JudgementOut]
    arm: None = Field(default=None, description="Told once it is reviewed: who judges must not know.")
    holdout_share: None = Field(default=None, description="Told once it is reviewed.")
    injections: None = Field(default=None, description="Told once it is reviewed.")
    expires_at: datetime


@router.post(
    "/queue/claim",
    auth=ReviewerAuth(),
    response={200: ClaimedRun, 204: None, **errors(409)},
    summary="Claim the next run",
)
def claim_run(request: ApiRequest, body: Annotated[ClaimIn | None, Body(None)]) -> Status[ClaimedRun | None]:
    """The run that waits longest, held for the key's person; one they hold already comes first, but for those in
    `exclude`, which they go on holding. 204 where nothing (else) waits. Two reviewers never get the same run.
    """
    wanted = body or ClaimIn()
    if wanted.flow:
        flow_named(wanted.flow)
    subcategory = by_slug(wanted.subcategory, "/subcategory") if wanted.subcategory else None
    claim = queue.claim_next(person_of(request), flow=wanted.flow, subcategory=subcategory, exclude=wanted.exclude)
    if claim is None:
        return Status(204, None)
    run = shapes.whole(request, found_run(claim.run_id))
    blind = dict(run) | {"arm": None, "holdout_share": None, "injections": None}
    return Status(200, ClaimedRun(**blind, expires_at=claim.expires_at))


@router.delete(
    "/queue/claims/{uuid:run_id}",
    auth=ReviewerAuth(),
    response={204: None, **errors(404, 409)},
    summary="Give a run back",
)
def release_run(request: ApiRequest, run_id: UUID) -> Status[None]:
    """Nothing happens where the key's person does not hold it."""
    queue.release(found_run(run_id).pk, person_of(request))
    return Status(204, None)
