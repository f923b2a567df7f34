"""/learning/<slug>/life/ : when triggers went on and off there, and what made them."""

from dataclasses import dataclass
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from generation.flows import FLOWS
from generation.models import Subcategory
from learning.tables import csv_response, wants_csv
from learning.uplift.life import Life, Switch, life
from review.exports.columns import columns
from review.views.access import Request, reader_required
from review.words import label

COLUMNS = columns(at="time", trigger="text", on="boolean", by_reviews_of="texts", why="text")


@dataclass(frozen=True)
class Page:
    subcategory: Subcategory
    flow: str
    life: Life

    @property
    def rows(self) -> list[tuple[str, Switch]]:
        return [(label(self.flow, switch.trigger), switch) for switch in self.life.switches]


@require_safe
@reader_required
def trigger_life(request: Request, slug: str) -> HttpResponse:
    subcategory = get_object_or_404(Subcategory, slug=slug)
    flow = request.GET.get("flow") or next(iter(FLOWS))
    if flow not in FLOWS:
        raise Http404
    page = Page(subcategory, flow, life(flow, subcategory, _run(request.GET.get("before", ""))))
    if wants_csv(request):
        rows = [
            {
                "at": one.at,
                "trigger": one.trigger,
                "on": one.on,
                "by_reviews_of": map(str, one.came),
                "why": one.why,
            }
            for one in page.life.switches
        ]
        return csv_response(f"life-{slug}", COLUMNS, rows)
    return render(request, "learning/life.html", {"page": page})


def _run(text: str) -> UUID | None:
    """An id that is none asks for the newest."""
    try:
        return UUID(text)
    except ValueError:
        return None
