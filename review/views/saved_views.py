"""Saved views: a list's filters under a name of one's own, or for all."""

from urllib.parse import parse_qsl

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from generation.reading import storable
from review.filters import Filters
from review.groups import CAN_STEER
from review.models import SavedView
from review.models.saved_view import LONGEST_NAME, LONGEST_QUERY
from review.views.access import Request, reviewer_required

MOST = 100  # of one person


@require_http_methods(["GET", "POST"])
@reviewer_required
def saved_views(request: Request) -> HttpResponse:
    """The page that renames and deletes them; POST saves the filters of `query` under `name`."""
    if request.method == "GET":
        views = SavedView.objects.for_(request.user).select_related("owner")
        may_share = request.user.has_perm(CAN_STEER)
        return render(request, "review/saved_views.html", {"views": views, "may_share": may_share})
    filters = Filters.of(dict(parse_qsl(request.POST.get("query", "").removeprefix("?"))))
    view = SavedView(owner=request.user, query=filters.query[:LONGEST_QUERY])
    if SavedView.objects.filter(owner=request.user).count() >= MOST:
        messages.warning(request, _("You have %(most)d views; delete one first.") % {"most": MOST})
    elif _keep(request, view):
        messages.info(request, _("Saved: “%(name)s” stands under Views.") % {"name": view.name})
    return redirect(reverse("queue") + filters.address())


@require_http_methods(["GET", "POST"])
@reviewer_required
def saved_view(request: Request, view_id: int) -> HttpResponse:
    """Open one; POST renames, shares or deletes one's own."""
    if request.method == "GET":
        view = get_object_or_404(SavedView.objects.for_(request.user), pk=view_id)
        return redirect(f"{reverse('queue')}?{view.query}")
    view = get_object_or_404(SavedView, pk=view_id, owner=request.user)
    if "delete" in request.POST:
        view.delete()
    else:
        _keep(request, view)
    return redirect("queue-views")


def _keep(request: Request, view: SavedView) -> bool:
    """Under the name that was sent, shared only by those who may; whether it was kept. What is wrong is told."""
    view.name = storable(request.POST.get("name", "")).strip()[:LONGEST_NAME]
    view.shared = "shared" in request.POST and request.user.has_perm(CAN_STEER)
    if not view.name:
        messages.warning(request, _("A view needs a name."))
        return False
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:
        messages.warning(request, _("You have a view of this name already."))
        return False
    return True
