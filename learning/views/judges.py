"""/learning/judges/ : the judge beside people, and the runs in which they differ."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.judging import missed, page, tables
from learning.tables import csv_response, wants_csv
from review.views.access import Request, reader_required

LARGEST_CSV = 5_000  # runs of a list, in one file


@require_safe
@reader_required
def judges(request: Request) -> HttpResponse:
    """?format=csv: the table of criteria, or with ?table=threshold what each threshold would have done."""
    found = page.read(request.GET.dict())
    if wants_csv(request):
        if request.GET.get("table") == "threshold" and found.rubric is not None:
            return csv_response(f"threshold-{found.flow}", tables.THRESHOLDS, tables.thresholds(found.rubric))
        return csv_response(f"judge-{found.flow}", tables.CRITERIA, tables.criteria(found))
    return render(request, "learning/judges.html", {"page": found})


@require_safe
@reader_required
def judges_missed(request: Request) -> HttpResponse:
    given = request.GET.dict()
    if wants_csv(request):
        found = missed.read(given, size=LARGEST_CSV)
        return csv_response(f"judge-{found.flow}-{found.criterion}-{found.kind}", tables.RUNS, tables.runs(found))
    return render(request, "learning/judges_missed.html", {"page": missed.read(given)})
