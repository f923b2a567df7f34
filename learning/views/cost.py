"""/learning/cost/ : tokens, money and time per accepted record."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.costs import page as costs
from learning.costs import stages, weeks
from learning.costs.measures import MEASURES
from learning.tables import csv_response, wants_csv
from review.views.access import Request, reader_required


@require_safe
@reader_required
def cost(request: Request) -> HttpResponse:
    """As CSV the sums themselves; with `weeks` those of the last weeks."""
    page = costs.page(request.GET.get("flow", ""), request.GET.get("by", ""))
    if wants_csv(request):
        if "weeks" in request.GET:
            tokens = MEASURES["tokens"].of
            rows = [weeks.row(page.flow, week, tokens(week.sums)) for week in page.weeks]
            return csv_response(f"cost-by-week-{page.flow}", weeks.COLUMNS, rows)
        return csv_response(f"cost-{page.flow}", stages.COLUMNS, stages.rows(page.flow, page.sums))
    return render(request, "learning/cost.html", {"page": page})
