"""A run's record as JSON, or against an earlier revision: in its pane, or without a script as a page."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from generation.flows.order import in_order, schema_of
from generation.models import Draft
from review.blindness import sees_judge
from review.pages.comparing import comparison
from review.views.access import Request, reviewer_required
from review.views.run import run_or_404


@require_GET
@reviewer_required
def run_json(request: Request, run_id: UUID) -> HttpResponse:
    run = run_or_404(run_id, request.user)
    draft = Draft.objects.filter(run=run, revision=run.revision).first()
    if draft is None:
        raise Http404
    content = in_order(draft.content, schema_of(run.flow))
    return _shown(request, {"run": run, "content": content, "part": "review/_json.html"})


@require_GET
@reviewer_required
def run_changes(request: Request, run_id: UUID) -> HttpResponse:
    """`with`: the revision to compare with, else the one before; `all`: also what is the same."""
    run = run_or_404(run_id, request.user)
    if not sees_judge(run, request.user):
        raise Http404  # that it was mended says what the judge found
    given = request.GET.get("with", "")
    found = comparison(run, int(given) if given.isdecimal() and len(given) < 10 else None)
    if found is None:
        raise Http404
    shown = {"run": run, "compared": found, "with_all": "all" in request.GET, "part": "review/_changes.html"}
    return _shown(request, shown)


def _shown(request: Request, context: dict[str, object]) -> HttpResponse:
    whole = request.htmx.target != "record-as"
    return render(request, "review/record.html" if whole else str(context["part"]), context)
