"""REST calls that take back: a review of one's own, or a review's part in learning. Both are events."""

from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext as _
from ninja import Router, Status

from generation.access import ApiRequest
from generation.api.runs import found_run
from generation.rest.problems import errors
from review import undoing
from review.api.access import ReviewerAuth, person_of
from review.api.reviews import ReviewOut, event_out
from review.models import ReviewEvent

router = Router(tags=["Reviews"])


@router.post(
    "/runs/{uuid:run_id}/undo",
    auth=ReviewerAuth(),
    response={201: ReviewOut, **errors(404, 409)},
    summary="Undo one's review",
)
def undo_review(request: ApiRequest, run_id: UUID) -> Status[ReviewOut]:
    """Takes back the latest review of the key's person: the run stands as before, and they hold it again.
    409 where somebody reviewed the run since, or it has moved on.
    """
    found_run(run_id)
    return Status(201, event_out(request, undoing.undo(run_id, person_of(request))))


@router.post(
    "/runs/{uuid:run_id}/reviews/{int:event_id}/leave-out",
    auth=ReviewerAuth(),
    response={201: ReviewOut, **errors(404, 409)},
    summary="Leave a review out of learning",
)
def leave_review_out(request: ApiRequest, run_id: UUID, event_id: int) -> Status[ReviewOut]:
    """Its decision stands, and learning no longer counts it. For its author; an adjudicator may for everybody."""
    person = person_of(request)
    if not ReviewEvent.objects.filter(pk=event_id, run=run_id).exists():
        raise Http404(_("This run has no review of this id."))
    return Status(201, event_out(request, undoing.leave_out(event_id, person)))
