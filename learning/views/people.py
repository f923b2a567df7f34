"""/learning/people/ : how far people agree who reviewed the same record."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.agreement import page as agreement
from learning.agreement import pairs as of_pairs
from learning.tables import csv_response, wants_csv
from review.groups import CAN_EXPORT
from review.views.access import Request, reader_required


@require_safe
@reader_required
def people(request: Request) -> HttpResponse:
    """`pairs`: who differs from whom, for who may export names; others are shown the page without."""
    asked, may_pairs = request.GET, request.user.has_perm(CAN_EXPORT)
    page = agreement.page(asked.get("flow", ""), asked.get("what", ""), behind=asked.get("behind", ""))
    pairs = None
    if may_pairs and "pairs" in asked:
        pairs = of_pairs.pairs(page.flow, behind=asked["pairs"])
    if wants_csv(request):
        if pairs:
            rows = (row for two in pairs.twos for row in two.as_rows())
            return csv_response(f"pairs-{page.flow}", of_pairs.COLUMNS, rows)
        return csv_response(f"agreement-{page.flow}", agreement.COLUMNS, (line.as_row() for line in page.lines))
    context = {"page": page, "pairs": pairs, "may_pairs": may_pairs}
    template = "learning/_differing.html" if request.htmx.target == "differing" else "learning/people.html"
    return render(request, template, context)
