"""From one run to the next: to its address or, for the open review page, its body, which may wait there unseen.

The page (static/js/desk.js) fetches the body of the next run ahead of time, and names it when it submits or skips.
The answers' header `Desk` says what to do with them: `next` is a body to show, `kept` the parts to renew in the
one that waits, `load` asks for the whole page. What is no page of the desk's kind is led to by `HX-Redirect`.
"""

from collections.abc import Collection
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from generation.errors import Conflict
from generation.models import Run
from review import queue
from review.blindness import as_seen
from review.claiming import claim_next_of
from review.models import Claim
from review.pages.notice import notice
from review.pages.scope import Scope
from review.pages.today import reviewed_today
from review.pages.workbench import place_of
from review.views.access import Request, at_desk, forget_skipped, last_reviewed, reviewer_required, skipped_runs
from review.views.run import open_workbench, run_or_404

MOST_TABS = 40  # runs that other tabs may name


@require_POST
@reviewer_required
def queue_ahead(request: Request) -> HttpResponse:
    """The body of the run after the one that is shown, claimed for a minute; 204 where nothing else waits."""
    shown = _uuid(request.POST.get("shown", ""))
    claim = _claim_next(
        request,
        Scope.of(request.GET),
        exclude=[*skipped_runs(request), *_elsewhere(request), *([shown] if shown else [])],
        seconds=settings.PREFETCH_CLAIM_SECONDS,
    )
    if claim is None:
        return HttpResponse(status=204)
    return open_workbench(request, run_or_404(claim.run_id, request.user), claim=claim)


def to_run(request: Request, run_id: UUID) -> HttpResponse:
    """A run's page within the scope of work."""
    if at_desk(request) and (found := run_or_404(run_id, request.user)).is_up_for_review:
        return open_workbench(request, found)
    address = Scope.of(request.GET).address(run_id)
    return HttpResponseClientRedirect(address) if at_desk(request) else redirect(address)


def to_next(request: Request, *, after: UUID | None = None, scope: Scope | None = None) -> HttpResponse:
    """The next run, or the queue where nothing waits. Skipped runs come last, not never; those that another tab of
    this person has open do not come."""
    scope, said = scope or Scope.of(request.GET), {"done": str(after or "")}
    if at_desk(request) and (ahead := _ahead(request)):
        return _kept(request, ahead, scope, said["done"])
    skipped, open_elsewhere = skipped_runs(request), _elsewhere(request)
    claim = _claim_next(request, scope, exclude=[*skipped, *open_elsewhere])
    if claim is None and skipped:
        forget_skipped(request)
        claim = _claim_next(request, scope, exclude=open_elsewhere)
    if claim is None:
        messages.info(request, _nothing(scope, bool(open_elsewhere)))
        address = reverse("queue") + scope.query_with(**said)
        return HttpResponseClientRedirect(address) if at_desk(request) else redirect(address)
    if at_desk(request):
        found = run_or_404(claim.run_id, request.user)
        return open_workbench(request, found, claim=claim, after=said["done"], scope=scope)
    return redirect(scope.address(claim.run_id, **said))


def _nothing(scope: Scope, open_elsewhere: bool) -> str:
    if open_elsewhere:
        return _("Nothing more waits for you but what is open in another tab.")
    if scope.is_looked_for:  # of a long list, whose first runs others have, not all is looked at
        return _("Nothing more of this list is free for you at the moment.")
    return _("Nothing more waits for you.")


def _claim_next(
    request: Request, scope: Scope, *, exclude: Collection[UUID] = (), seconds: float | None = None
) -> Claim | None:
    if scope.is_looked_for:
        return claim_next_of(request.user, scope.filters, exclude=exclude, seconds=seconds)
    flow, subcategory = scope.filters.flow, scope.filters.subcategory
    return queue.claim_next(request.user, flow=flow, subcategory=subcategory, exclude=exclude, seconds=seconds)


def _ahead(request: Request) -> Claim | None:
    """The run whose body waits at the page, held for its whole time now; None where that body holds no more."""
    run_id, stamp = _uuid(request.POST.get("ahead", "")), request.POST.get("stamp", "")
    if run_id is None or not stamp:
        return None
    try:
        return queue.take(run_id, request.user, stamp=stamp)
    except (Conflict, Run.DoesNotExist):
        return None


def _kept(request: Request, ahead: Claim, scope: Scope, after: str) -> HttpResponse:
    """What has changed on the waiting body since it was drawn: its claim, its place, the notice, undo."""
    place = place_of(ahead.run, request.user, scope)
    context = {
        "run": as_seen(ahead.run, request.user),
        "claim": ahead,
        "place": place,
        "scope": scope,
        "today": reviewed_today(request.user),
        "notice": notice(after, request.user),
        "undoable": last_reviewed(request),
    }
    if scope.is_everything:
        context["waiting"] = place.total
    response = render(request, "review/_kept.html", context)
    response["Desk"] = "kept"
    return response


def _elsewhere(request: Request) -> list[UUID]:
    """The runs that other tabs of this person have open, as the browser knows (static/js/tabs.js)."""
    named = request.POST.get("elsewhere", "").split(",")[:MOST_TABS]
    return [run_id for run_id in map(_uuid, named) if run_id is not None]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
