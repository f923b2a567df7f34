"""What pages and callers are told about a subcategory: shares, first-pass acceptance, and cards of many."""

from dataclasses import dataclass
from typing import Any

from generation.flows import FLOWS
from generation.models import Subcategory
from learning.acceptance import Point, acceptance_series, series_of
from learning.models import Switch
from learning.totals import FLAGS, Totals, totals
from learning.triggers import Triggers, decide
from learning.window import SIZE, Window, windows
from review.models import Tally

__all__ = ["Card", "Point", "Share", "Stats", "acceptance_series", "cards", "stats"]


@dataclass(frozen=True)
class Share:
    """count of `of`, and that in per cent; None of none."""

    count: int
    of: int

    @property
    def percent(self) -> float | None:
        return round(100 * self.count / self.of, 1) if self.of else None


@dataclass(frozen=True)
class Stats:
    """Shares of reviewed runs, over the window and over all time. Of `information_present` it is the share that
    said yes, of `information_present_low` the one that said no."""

    window: dict[str, Share]
    all_time: dict[str, Share]
    accepted_in_window: Share
    accepted: Share
    reviewed: int
    reviews: int
    waiting: int

    def as_json(self) -> dict[str, Any]:
        return {
            "window": {"size": SIZE, "reviewed": self.window[FLAGS[0]].of},
            "signals": {
                flag: {
                    "window": self.window[flag].percent,
                    "window_count": self.window[flag].count,
                    "all_time": self.all_time[flag].percent,
                    "all_time_count": self.all_time[flag].count,
                }
                for flag in FLAGS
            },
            "first_pass_acceptance": {
                "window": self.accepted_in_window.percent,
                "all_time": self.accepted.percent,
                "accepted": self.accepted.count,
                "reviewed": self.accepted.of,
            },
            "counts": {"reviewed": self.reviewed, "reviews": self.reviews, "waiting": self.waiting},
        }


@dataclass(frozen=True)
class Card:
    """One subcategory of a flow on the page of all."""

    flow: str
    subcategory: Subcategory
    window: Window
    triggers: Triggers
    stats: Stats
    series: list[Point]
    off: bool  # as a whole or for this one


def stats(flow: str, subcategory: Subcategory) -> Stats:
    """CONTRACT's statistics of one subcategory."""
    [card] = _cards(flow, [subcategory])
    return card.stats


def cards(flow: str | None = None) -> list[Card]:
    """A card per subcategory; without a flow, of every flow and those alone that have something on them.

    One query, and eight per flow that is in use, however many subcategories there are.
    """
    known = list(Subcategory.objects.select_related("category").order_by("category__name", "name", "pk"))
    if flow is not None:
        return _cards(flow, known)
    in_use = Tally.objects.flows()
    found = [card for name in FLOWS if name in in_use for card in _cards(name, known)]
    return [card for card in found if card.window.runs or card.stats.waiting or card.stats.reviewed]


def _cards(flow: str, subcategories: list[Subcategory]) -> list[Card]:
    ids = [subcategory.pk for subcategory in subcategories]
    seen, counted, series = windows(flow, ids), totals(flow, ids), series_of(flow, ids)
    off = set(Switch.objects.values_list("subcategory", flat=True))
    return [
        Card(
            flow=flow,
            subcategory=subcategory,
            window=seen[pk],
            triggers=decide(seen[pk]),
            stats=_stats(seen[pk], counted[pk], series[pk]),
            series=series[pk],
            off=pk in off or None in off,
        )
        for subcategory in subcategories
        for pk in [subcategory.pk]
    ]


def _stats(window: Window, counted: Totals, series: list[Point]) -> Stats:
    in_window = {run.run_id for run in window.runs}
    first = [point for point in series if point.run_id in in_window]
    return Stats(
        window={flag: Share(sum(run.raised(flag) for run in window.runs), window.reviewed) for flag in FLAGS},
        all_time={flag: Share(counted.raised[flag], counted.runs) for flag in FLAGS},
        accepted_in_window=Share(sum(point.accepted for point in first), len(first)),
        accepted=Share(counted.accepted, counted.first),
        reviewed=counted.runs,
        reviews=counted.reviews,
        waiting=counted.waiting,
    )
