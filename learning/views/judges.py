"""/learning/judges/ : the judge beside people, and the runs in which they differ."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.judging import missed, page, tables
from review.views.access import Request, reader_required

LARGEST_CSV = 5_000  # runs of a list, in one file


@require_safe
@reader_required
def judges(request: Request) -> HttpResponse:
    """?format=csv: the table of criteria, or with ?table=threshold what each threshold would have done."""
    found = page.read(request.GET.dict())
    if request.GET.get("format") == "csv":
        if request.GET.get("table") == "threshold" and found.rubric is not None:
            return _csv(tables.thresholds(found.rubric), f"threshold-{found.flow}")
        return _csv(tables.criteria(found), f"judge-{found.flow}")
    return render(request, "learning/judges.html", {"page": found})


@require_safe
@reader_required
def judges_missed(request: Request) -> HttpResponse:
    given = request.GET.dict()
    if given.get("format") == "csv":
        found = missed.read(given, size=LARGEST_CSV)
        return _csv(tables.runs(found), f"judge-{found.flow}-{found.criterion}-{found.kind}")
    return render(request, "learning/judges_missed.html", {"page": missed.read(given)})


def _csv(data: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(data, content_type="text/csv; charset=utf-8", headers=headers)
