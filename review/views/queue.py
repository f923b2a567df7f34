"""The queue: the list, and the way to the next run."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from generation.errors import BadInput
from review.filters import Filters
from review.groups import CAN_PLACE, CAN_STEER
from review.models import SavedView
from review.pages.listing import listing
from review.pages.notice import notice
from review.queue import claim_next
from review.views.access import Request, forget_skipped, last_reviewed, reviewer_required, skipped_runs


@require_GET
@reviewer_required
def queue(request: Request) -> HttpResponse:
    filters = Filters.of(request.GET)
    try:
        page = listing(filters, request.user)
    except BadInput as problem:
        messages.warning(request, problem.problems[0].detail)
        return redirect("queue")
    after = notice(request.GET.get("after", ""), request.user)
    template = "review/_list.html" if request.htmx.target == "list" else "review/queue.html"
    context = {
        "page": page,
        "waiting": page.total,
        "notice": after,
        "undoable": last_reviewed(request),
        "views": SavedView.objects.for_(request.user),
        "may_place": request.user.has_perm(CAN_PLACE),
        "may_steer": request.user.has_perm(CAN_STEER),
    }
    response = render(request, template, context)
    if request.htmx:
        response["HX-Push-Url"] = reverse("queue") + filters.address(cursor=filters.cursor)
    return response


@require_POST
@reviewer_required
def queue_next(request: Request) -> HttpResponse:
    """Claim the next run and open it."""
    wanted = Filters.of(request.POST)
    return to_next(request, flow=wanted.flow, subcategory=wanted.subcategory)


def to_next(request: Request, *, flow: str = "", subcategory: str = "", after: UUID | None = None) -> HttpResponse:
    """The next run's page, or the queue where nothing waits. Skipped runs come last, not never."""
    skipped = skipped_runs(request)
    claim = claim_next(request.user, flow=flow, subcategory=subcategory, exclude=skipped)
    if claim is None and skipped:
        forget_skipped(request)
        claim = claim_next(request.user, flow=flow, subcategory=subcategory)
    query = f"?after={after}" if after else ""
    if claim is None:
        messages.info(request, _("Nothing more waits for you."))
        return redirect(reverse("queue") + query)
    return redirect(reverse("run", args=[claim.run_id]) + query)
