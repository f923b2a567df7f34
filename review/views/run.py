"""One run: its review page, its live progress, or what became of it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from generation import following, runs
from generation.blind import judge_hidden
from generation.errors import Conflict
from generation.looking import look
from generation.models import Run
from review import queue
from review.blindness import as_seen
from review.forms import StructuredForm
from review.groups import CAN_STEER
from review.models import Claim
from review.pages.decided import decided
from review.pages.notice import notice
from review.pages.progress import progress
from review.pages.reading import style_of
from review.pages.scope import Scope
from review.pages.workbench import workbench
from review.views.access import Request, at_desk, last_reviewed, reviewer_required, steering_required
from review.words import label

LARGEST_ID = 2**63 - 1


def run_or_404(run_id: UUID, user: User | None = None) -> Run:
    """user: the run as this person may see it; not to be saved."""
    found = get_object_or_404(Run.objects.select_related("subcategory__category", "batch"), pk=run_id)
    return as_seen(found, user) if user else found


@never_cache  # going back asks again, so that no form of a run that is decided by now is shown
@require_GET
@reviewer_required
def run(request: Request, run_id: UUID) -> HttpResponse:
    found = run_or_404(run_id, request.user)
    if found.is_in_progress:
        return _render(request, "review/progress.html", found, {"page": progress(found, request.user)})
    if found.is_up_for_review or "again" in request.GET:
        return open_workbench(request, found)
    return _render(request, "review/decided.html", found, {"page": decided(found, request.user)})


def open_workbench(
    request: Request,
    found: Run,
    *,
    form: StructuredForm | None = None,
    refused: str = "",
    status: int = 200,
    claim: Claim | None = None,
    after: str = "",
    scope: Scope | None = None,
) -> HttpResponse:
    """The review page, claimed where it can be; at the desk its body alone.

    `form` and `refused` come from a submission that failed, `claim` from who claimed the run already; `after` is
    the run that was reviewed before.
    """
    held_by = ""
    try:
        claim = claim or queue.take(found.pk, request.user)
    except Conflict as conflict:
        held_by = str(conflict)
    scope = scope or Scope.of(request.GET)
    page = workbench(found, request.user, claim=claim, held_by=held_by, form=form, scope=scope)
    context = {"page": page, "refused": refused, "may_know_prompt": False, "scope": scope}
    context |= {"fragment": at_desk(request), "address": scope.address(found.pk), "style": style_of(found.flow)}
    if scope.is_everything:
        context["waiting"] = page.place.total
    template = "review/_desk.html" if at_desk(request) else "review/run.html"
    response = _render(request, template, found, context, status=status, after=after)
    response["Desk"] = "next"
    return response


def open_decided(
    request: Request, found: Run, *, form: StructuredForm | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    """The page of a run that is not up for review; what a refused submission had stays readable."""
    typed = _typed(form, found.flow)
    if found.is_in_progress:
        context = {"page": progress(found, request.user), "refused": refused, "typed": typed}
        return _render(request, "review/progress.html", found, context, status=status)
    shown = decided(found, request.user, typed=typed)
    return _render(request, "review/decided.html", found, {"page": shown, "refused": refused}, status=status)


@require_GET
@reviewer_required
def run_progress(request: Request, run_id: UUID) -> HttpResponse:
    """The fragment that the page asks for whenever an event tells that something happened."""
    found = run_or_404(run_id, request.user)
    page = progress(found, request.user)
    context = {"page": page, "run": found, "may_steer": request.user.has_perm(CAN_STEER), "fragment": True}
    return render(request, "review/_progress.html", context)


@require_GET
@reviewer_required
def run_events(request: Request, run_id: UUID) -> StreamingHttpResponse:
    """The run's events for its page, as REST has them; behind `Last-Event-ID`, or behind `after` at first."""
    found = get_object_or_404(Run, pk=run_id)
    last = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    after = min(int(last), LARGEST_ID) if last.isdecimal() else 0
    return following.response(run_id, after, look(run_id, after), judge=not judge_hidden(found, request.user))


@require_POST
@steering_required
def run_retry(request: Request, run_id: UUID) -> HttpResponse:
    return _steer(request, run_id, runs.retry)


@require_POST
@steering_required
def run_cancel(request: Request, run_id: UUID) -> HttpResponse:
    return _steer(request, run_id, runs.cancel)


def _steer(request: Request, run_id: UUID, act: Callable[[UUID], object]) -> HttpResponse:
    run_or_404(run_id)
    try:
        act(run_id)
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    return redirect("run", run_id)


def _typed(form: StructuredForm | None, flow: str) -> list[tuple[str, str]]:
    """What was said, as label and text, where the form itself cannot be shown any more."""
    if form is None:
        return []
    said = {name: form.cleaned_data.get(name) for name in form.fields if name != "revision"}
    return [
        (label(flow, name).replace("_", " "), ", ".join(value) if isinstance(value, list) else str(value))
        for name, value in said.items()
        if value
    ]


def _render(
    request: Request, template: str, found: Run, context: dict[str, Any], status: int = 200, after: str = ""
) -> HttpResponse:
    may_steer = request.user.has_perm(CAN_STEER)
    shared = {
        "run": found,
        "notice": notice(after or request.GET.get("done", ""), request.user),
        "undoable": last_reviewed(request),
        "scope": Scope.of(request.GET),
        "may_steer": may_steer,
        "may_know_prompt": found.is_decided or may_steer,  # who may still judge it must not know
    }
    return render(request, template, shared | context, status=status)
