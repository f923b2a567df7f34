"""The triggers that are on, in the subcategories that were reviewed last."""

from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from generation.flows import FLOWS
from generation.models import Run, Subcategory
from learning.strips import Strip, strips
from learning.triggers import Triggers, decide
from learning.window import Window, windows
from review.models import Tally

RECENT = 40  # subcategories that are looked at


@dataclass(frozen=True)
class Recent:
    """One subcategory of the installation as learning sees it now."""

    flow: str
    subcategory: Subcategory
    window: Window
    triggers: Triggers

    @property
    def strips(self) -> list[Strip]:
        return strips(self.window, self.triggers)


@dataclass(frozen=True)
class On:
    """One trigger that is on."""

    flow: str
    subcategory: Subcategory
    strip: Strip
    low_confidence: bool


def recent() -> list[Recent]:
    """The subcategories with the newest reviews; three queries per flow in use, however long the history."""
    found = []
    in_use = Tally.objects.flows()
    for flow in (name for name in FLOWS if name in in_use):
        newest = (
            Run.objects.reviewed()
            .filter(flow=flow, subcategory=OuterRef("pk"))
            .order_by("-last_reviewed_at", "-last_review_event_id")
            .values("last_reviewed_at")[:1]
        )
        reviewed = list(
            Subcategory.objects.annotate(last=Subquery(newest))
            .filter(last__isnull=False)
            .order_by("-last")[:RECENT]
        )
        by_id = windows(flow, [subcategory.pk for subcategory in reviewed])
        found += [
            Recent(flow, subcategory, by_id[subcategory.pk], decide(by_id[subcategory.pk]))
            for subcategory in reviewed
        ]
    return found


def on(known: list[Recent]) -> list[On]:
    return [
        On(found.flow, found.subcategory, strip, found.triggers.low_confidence)
        for found in known
        for strip in found.strips
        if strip.on
    ]
