"""/learning/evidence/ : does guidance help, beside the runs of the holdout."""

from collections.abc import Iterator

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.strips import TRIGGERS
from learning.tables import csv_response, wants_csv
from learning.uplift.comparing import Comparison
from learning.uplift.page import EvidencePage, every_row, evidence
from review.exports.columns import Row, columns
from review.views.access import Request, reader_required

# low, high: they hold at all times at once. newcombe: for one look at a time that was set before.
COLUMNS = columns(
    flow="text", subcategory="text", holdout="number", what="text", guided_count="integer", guided_of="integer",
    control_count="integer", control_of="integer", difference_points="number", low_points="number",
    high_points="number", e_value="number", newcombe_low_points="number", newcombe_high_points="number",
    verdict="text", reviews_needed="integer",
)  # fmt: skip


@require_safe
@reader_required
def evidence_page(request: Request) -> HttpResponse:
    asked = request.GET
    page = evidence(asked.get("flow", ""), asked.get("share", ""), asked.get("after", ""))
    if wants_csv(request):
        return csv_response("evidence", COLUMNS, table(page))
    return render(request, "learning/evidence.html", {"page": page})


def table(page: EvidencePage) -> Iterator[Row]:
    for row in every_row(page):
        place = row.place
        compared = [("accepted", place.accepted), *((name, place.raised(name)) for name in TRIGGERS)]
        of = {"flow": row.flow, "subcategory": row.subcategory.slug if row.subcategory else ""}
        yield from ({**of, **line(what, one)} for what, one in compared if one.reviewed)


def line(what: str, one: Comparison) -> Row:
    (low, high), (low_once, high_once) = one.bounds, one.at_one_look
    return {
        "holdout": one.share,
        "what": what,
        "guided_count": one.guided.count,
        "guided_of": one.guided.of,
        "control_count": one.control.count,
        "control_of": one.control.of,
        "difference_points": None if one.difference is None else round(one.difference, 2),
        "low_points": round(low, 2),
        "high_points": round(high, 2),
        "e_value": float(f"{one.e_value:.6g}"),
        "newcombe_low_points": round(low_once, 2),
        "newcombe_high_points": round(high_once, 2),
        "verdict": one.verdict,
        "reviews_needed": one.reviews_needed if one.verdict == "few" else None,
    }
