"""Exports: asking for one, how far they are, and their files."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from generation.errors import BadInput, Conflict
from generation.flows import FLOWS
from generation.models import Subcategory
from generation.reading import storable
from review.exports import jobs
from review.exports.sending import OutOfRange, of_file
from review.exports.wanted import FORMATS, FORMS, KINDS, Wanted
from review.filters import moment
from review.models import Export
from review.views.access import Request, exporting_required

SHOWN = 100


@require_http_methods(["GET", "POST"])
@exporting_required
def exports(request: Request) -> HttpResponse:
    """The newest, and a form for another one; for htmx the list alone, while some are being written."""
    problem, given = None, request.POST
    if request.method == "POST":
        try:
            jobs.start(_wanted(given), by=request.user)
        except (BadInput, Conflict) as error:
            problem = error.problems[0].detail if isinstance(error, BadInput) else str(error)
        else:
            return redirect("exports")
    found = list(Export.objects.select_related("by")[:SHOWN])
    context: dict[str, Any] = {
        "exports": found, "open": any(not export.is_over for export in found), "problem": problem, "given": given,
        "kinds": kinds(), "forms": FORMS, "formats": list(FORMATS), "flows": sorted(FLOWS),
        "subcategories": Subcategory.objects.order_by("name"),
    }  # fmt: skip
    template = "review/_exports.html" if request.htmx.target == "exports" else "review/exports.html"
    return render(request, template, context, status=422 if problem else 200)


@require_GET
@exporting_required
def export_file(request: Request, export_id: UUID) -> HttpResponseBase:
    try:
        return of_file(request, get_object_or_404(Export, pk=export_id))
    except OutOfRange as error:
        return HttpResponse(status=416, headers=error.headers)
    except Conflict as problem:
        messages.warning(request, str(problem))
        return redirect("exports")


@require_POST
@exporting_required
def export_delete(request: Request, export_id: UUID) -> HttpResponse:
    jobs.delete(get_object_or_404(Export, pk=export_id).pk)
    messages.info(request, _("The export and its file are deleted."))
    return redirect("exports")


def kinds() -> list[tuple[str, str]]:
    words = {
        "reviews": _("Reviews: every review of every run"),
        "training": _("Training set: what people approved, with its prompts"),
        "judgements": _("Judgements beside what people said"),
    }
    return [(kind, words[kind]) for kind in KINDS]


def _wanted(given: Any) -> Wanted:
    """BadInput where a field cannot be read; `Wanted.check` says the rest."""
    names = ("kind", "format", "flow", "subcategory", "form")
    text: dict[str, Any] = {name: storable(given.get(name, "")).strip() for name in names}
    text["form"] = text["form"] if text["kind"] == "training" else ""
    return Wanted(**text, batch=None, since=_day(given, "since"), until=_day(given, "until"))


def _day(given: Any, name: str) -> datetime | None:
    found = moment(given.get(name, ""))
    if found is None and given.get(name):
        raise BadInput.at(f"/{name}", _("This is no day."))
    return found
