"""What a reviewer does to a run: submit, keep half-filled, hold, skip, undo."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from generation.errors import BadInput, Conflict
from review import queue, recording
from review.filters import Filters
from review.forms import StructuredForm
from review.models import ReviewEvent, ReviewForm
from review.pages.scope import Scope
from review.views.access import (
    Request,
    at_desk,
    forget_reviewed,
    last_reviewed,
    releasing_required,
    remember_reviewed,
    remember_skipped,
    reviewer_required,
)
from review.views.desk import to_next, to_run
from review.views.run import open_decided, open_workbench, run_or_404


@require_http_methods(["GET", "POST"])
@reviewer_required
def run_review(request: Request, run_id: UUID) -> HttpResponse:
    """Submit, and open the next. What was typed is shown again where it cannot be kept."""
    if request.method == "GET":  # a refused submission was reloaded
        return redirect("run", run_id)
    run = run_or_404(run_id, request.user)
    form = StructuredForm(request.POST)
    if form.is_valid():
        try:
            recording.submit(
                run_id,
                form.fields_for(run),
                reviewer=request.user,
                revision=form.cleaned_data["revision"],
            )
        except BadInput as problem:
            form.refuse(problem)
        except Conflict as conflict:
            found = run_or_404(run_id, request.user)
            if at_desk(request) and not found.is_up_for_review:
                return _whole_page()
            shown = open_workbench if found.is_up_for_review else open_decided
            return shown(request, found, form=form, refused=str(conflict), status=409)
        else:
            remember_reviewed(request, run_id)
            return to_next(request, after=run_id)
    return open_workbench(request, run, form=form, status=422)


def _whole_page() -> HttpResponse:
    """The run has become another page than the desk's: the form is sent once more, by the browser itself."""
    return HttpResponse(status=409, headers={"Desk": "load"})


@require_POST
@reviewer_required
def run_form(request: Request, run_id: UUID) -> HttpResponse:
    """Keep what is filled in so far; answers the line that says so."""
    run = run_or_404(run_id)
    form = StructuredForm(request.POST)
    saved, problem, base = None, "", request.POST.get("base")
    stale = False
    if form.is_valid():
        try:
            saved = recording.save_half_filled(run_id, request.user, form.fields_for(run), base=base)
        except BadInput as refusal:
            problem = refusal.problems[0].detail
        except Conflict as conflict:
            problem, stale = str(conflict), isinstance(conflict, recording.Stale)
    else:
        problem = str(next(iter(form.errors.values()))[0])
    said = {"saved": saved, "problem": problem, "stale": stale, "base": saved.version if saved else base}
    return render(request, "review/_saved.html", said, status=409 if problem else 200)


@require_POST
@reviewer_required
def run_claim(request: Request, run_id: UUID) -> HttpResponse:
    """The heartbeat of a page in view; with `again`, a person who wants a released run back."""
    run_or_404(run_id)
    claim, problem = None, ""
    try:
        claim = (queue.take if "again" in request.POST else queue.renew)(run_id, request.user)
    except Conflict as conflict:
        problem = str(conflict)
    return render(request, "review/_claim.html", {"run_id": run_id, "claim": claim, "problem": problem})


@require_POST
@reviewer_required
def run_skip(request: Request, run_id: UUID) -> HttpResponse:
    """Give the run back and open the next one, which tells of it."""
    skipped = run_or_404(run_id, request.user)
    queue.release(run_id, request.user)
    remember_skipped(request, run_id)
    link = format_html('<a href="{}">{}</a>', Scope.of(request.GET).address(run_id), skipped)
    messages.info(request, format_html(_("Gave {run} back."), run=link))
    return to_next(request)


@require_POST
@reviewer_required
def run_leave(request: Request, run_id: UUID) -> HttpResponse:
    """Move along the queue to the run `to`, and give this one back unless something was typed into its form."""
    run_or_404(run_id)
    try:
        to = UUID(request.POST.get("to", ""))
    except ValueError:
        return redirect("queue")
    half_filled = ReviewForm.objects.filter(run=run_id, reviewer=request.user, state=ReviewForm.State.HALF_FILLED)
    if not half_filled.exists():
        queue.release(run_id, request.user)
    return to_run(request, to)


@require_POST
@releasing_required
def run_release(request: Request, run_id: UUID) -> HttpResponse:
    """Free a run that somebody holds, and lead to the list: its page would claim it for who looks at it. What they
    typed is kept; their page tells them, and takes nothing back.
    """
    run = run_or_404(run_id, request.user)
    if queue.free(run_id, request.user):
        link = format_html('<a href="{}">{}</a>', Scope.of(request.GET).address(run_id), run)
        messages.info(request, format_html(_("Released {run}: it is free for the next reviewer."), run=link))
    else:
        messages.info(request, _("Nobody holds this run."))
    query = Filters.of(request.GET).query
    return redirect(reverse("queue") + (f"?{query}" if query else ""))


@require_POST
@reviewer_required
def run_undo(request: Request, run_id: UUID) -> HttpResponse:
    """Take the reviewer's own review back and open the run again, its form as it was."""
    run_or_404(run_id)
    try:
        recording.undo(run_id, request.user)
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    else:
        messages.info(request, _("Taken back. The form is as you had filled it."))
    forget_reviewed(request, run_id)
    return to_run(request, run_id)


@require_POST
@reviewer_required
def run_leave_out(request: Request, run_id: UUID, event_id: int) -> HttpResponse:
    """Leave one of the run's reviews out of learning; its decision stands."""
    get_object_or_404(ReviewEvent, pk=event_id, run=run_id)
    try:
        recording.leave_out(event_id, request.user)
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    else:
        messages.info(request, _("Left out: the decision stands, and learning does not read the review."))
    return redirect("run", run_id)


@require_POST
@reviewer_required
def undo_last(request: Request) -> HttpResponse:
    """Undo without naming a run: the last one that this session reviewed."""
    if last := last_reviewed(request):
        return run_undo(request, UUID(last))
    messages.info(request, _("Nothing to undo."))
    return HttpResponseClientRedirect(reverse("queue")) if at_desk(request) else redirect("queue")
