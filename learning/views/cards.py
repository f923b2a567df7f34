"""/learning/ : a card per subcategory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from generation.flows import FLOWS, label_of
from learning import insights
from learning.models import Switch
from learning.strips import Strip, strips
from learning.tables import csv_response, wants_csv
from review.exports.columns import Row, columns
from review.views.access import Request, reader_required

SPARK = 12  # points of a card's line
COLUMNS = columns(
    flow="text", subcategory="text", reviewed="integer", first_reviews="integer", accepted="integer",
    trigger="text", on="boolean", runs_in_window="integer", raised_in_window="integer", threshold="integer",
)  # fmt: skip
SORTS: dict[str, tuple[Promise, Callable[["Shown"], Any]]] = {
    "on": (_("most triggers on"), lambda shown: (-shown.on, shown.name)),
    "acceptance": (_("least accepted"), lambda shown: (shown.percent is None, shown.percent, shown.name)),
    "reviewed": (_("most reviewed"), lambda shown: (-shown.card.stats.reviewed, shown.name)),
    "name": (_("name"), lambda shown: shown.name),
}


@dataclass(frozen=True)
class Shown:
    """A card with what is drawn on it."""

    card: insights.Card
    strips: list[Strip]

    @property
    def name(self) -> str:
        return self.card.subcategory.name.casefold()

    @property
    def on(self) -> int:
        return sum(strip.on for strip in self.strips)

    @property
    def percent(self) -> int | None:
        """First-pass acceptance over all time, whole."""
        exact = self.card.stats.accepted.percent
        return None if exact is None else round(exact)

    @property
    def points(self) -> list[float]:
        """The share of ten runs at a time, thinned to what a small line can show; the last one is kept."""
        series = self.card.series
        whole = [point.share for point in series if point.over == series[-1].over]
        step = max(1, len(whole) // SPARK)
        return whole[::-1][::step][::-1]

    @property
    def few(self) -> bool:
        return self.card.triggers.low_confidence


@dataclass(frozen=True)
class Page:
    cards: list[Shown]
    flow: str
    sort: str
    holdout: str  # per cent; empty: there is none
    off: bool  # learning as a whole

    @property
    def subcategories(self) -> int:
        """One may have a card in several flows."""
        return len({shown.card.subcategory for shown in self.cards})

    @property
    def is_weighed(self) -> bool:
        """Whether evidence decides, and not the count of ten: the policy `steady`."""
        return any(strip.weighed for shown in self.cards for strip in shown.strips)

    @property
    def flows(self) -> list[tuple[str, str]]:
        """Name and label of each flow."""
        return [(name, label_of(name)) for name in FLOWS]

    sorts = tuple((key, label) for key, (label, _key) in SORTS.items())

    @property
    def sort_label(self) -> Promise:
        return SORTS[self.sort][0]

    @classmethod
    def read(cls, flow: str, sort: str) -> "Page":
        """Unknown values mean any flow and the first order."""
        flow, sort = flow if flow in FLOWS else "", sort if sort in SORTS else next(iter(SORTS))
        found = [
            Shown(card, strips(card.window, card.triggers))
            for card in insights.cards(flow or None)
            if card.window.runs or card.stats.waiting or card.stats.reviewed
        ]
        return cls(
            cards=sorted(found, key=SORTS[sort][1]),
            flow=flow,
            sort=sort,
            holdout=f"{100 * settings.FOLDBACK_HOLDOUT:g}" if settings.FOLDBACK_HOLDOUT else "",
            off=Switch.objects.filter(subcategory__isnull=True).exists(),
        )


@require_safe
@reader_required
def learning(request: Request) -> HttpResponse:
    page = Page.read(request.GET.get("flow", ""), request.GET.get("sort", ""))
    if wants_csv(request):
        return csv_response("learning", COLUMNS, (row for shown in page.cards for row in _rows(shown)))
    return render(request, "learning/cards.html", {"page": page})


def _rows(shown: Shown) -> list[Row]:
    """A card as rows: one per trigger."""
    accepted = shown.card.stats.accepted
    return [
        {
            "flow": shown.card.flow, "subcategory": shown.card.subcategory.slug,
            "reviewed": shown.card.stats.reviewed, "first_reviews": accepted.of, "accepted": accepted.count,
            "trigger": strip.name, "on": strip.on, "runs_in_window": strip.reviewed,
            "raised_in_window": strip.count, "threshold": strip.threshold,
        }
        for strip in shown.strips
    ]  # fmt: skip
