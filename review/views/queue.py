"""The queue: the list, and the way to the next run."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from generation.errors import BadInput
from review.filters import Filters
from review.groups import CAN_PLACE, CAN_STEER
from review.models import SavedView
from review.pages.listing import listing
from review.pages.notice import notice
from review.pages.scope import Scope
from review.views.access import Request, last_reviewed, reviewer_required
from review.views.desk import to_next


@require_GET
@reviewer_required
def queue(request: Request) -> HttpResponse:
    filters = Filters.of(request.GET)
    try:
        page = listing(filters, request.user)
    except BadInput as problem:
        messages.warning(request, problem.problems[0].detail)
        return redirect("queue")
    after = notice(request.GET.get("done", ""), request.user)
    scope = Scope.of_list(filters)
    template = "review/_list.html" if request.htmx.target == "list" else "review/queue.html"
    context = {
        "page": page,
        "waiting": page.total,
        "notice": after,
        "scope": scope or Scope(),
        "leaves_list": scope is None,
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
    """Claim the next run of the scope and open it."""
    return to_next(request, scope=Scope.of({**request.POST.dict(), **request.GET.dict()}))
