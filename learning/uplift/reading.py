"""The sums of guided runs and of the holdout, read off what is counted (`counting.py`): never off runs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from generation.models import Arm
from learning.models import FirstSent, Uplift
from learning.strips import TRIGGERS
from learning.uplift.comparing import Comparison, Counted
from learning.uplift.counting import PLACES

Sums = Mapping[str, int]
NOTHING: Sums = dict.fromkeys(PLACES, 0)


def share_in_force() -> Decimal:
    return Decimal(str(settings.FOLDBACK_HOLDOUT)).quantize(Decimal("0.000001"))


def shares() -> list[Decimal]:
    """The holdout's shares that runs were drawn by, the greatest first."""
    drawn = Uplift.objects.filter(share__gt=0, share__lt=1).order_by("-share")
    return list(drawn.values_list("share", flat=True).distinct())


@dataclass(frozen=True)
class Place:
    """What was counted of one flow and subcategory, or of several together, at one share of the holdout."""

    share: Decimal
    guided: Sums
    control: Sums

    @property
    def accepted(self) -> Comparison:
        return self._compared("accepted", "first", more=True)

    def raised(self, trigger: str) -> Comparison:
        """Of the runs that were generated while it was on: with its guidance, and without in the holdout."""
        return self._compared(f"{trigger}.on_raised", f"{trigger}.on", more=False)

    def _compared(self, count: str, of: str, *, more: bool) -> Comparison:
        guided, control = (Counted(sums[count], sums[of]) for sums in (self.guided, self.control))
        return Comparison(guided, control, float(self.share), more)

    @property
    def reviewed(self) -> int:
        return self.guided["first"] + self.control["first"]


def places(share: Decimal, flow: str | None = None) -> dict[tuple[str, int], Place]:
    """All places with a reviewed run that was drawn by this share; one query, whose cost no history changes."""
    found: dict[tuple[str, int], dict[str, Sums]] = defaultdict(dict)
    rows = Uplift.objects.filter(share=share, share__gt=0, share__lt=1, **({"flow": flow} if flow else {}))
    for row in rows:
        found[row.flow, row.subcategory_id][row.arm] = _named(row.counts)
    every = {key: _place(share, arms) for key, arms in found.items()}
    return {key: place for key, place in every.items() if place.reviewed}


def together(share: Decimal, of: Iterable[Place]) -> Place:
    """Runs are drawn alike wherever they are made, so that the sums of places may be compared as well."""
    guided, control = dict(NOTHING), dict(NOTHING)
    for place in of:
        for name in PLACES:
            guided[name] += place.guided[name]
            control[name] += place.control[name]
    return Place(share, guided, control)


@dataclass(frozen=True)
class Recurrence:
    """How often a correction came back after its guidance was first sent, beside before. since: that time."""

    trigger: str
    since: datetime
    before: Counted
    guided: Counted
    control: Counted

    def as_json(self) -> dict[str, Any]:
        return {
            "since": self.since,
            "before": self.before.as_json(),
            "guided": self.guided.as_json(),
            "control": self.control.as_json(),
        }


def of_subcategory(flow: str, subcategory_id: int, share: Decimal) -> tuple[Place, list[Recurrence]]:
    """One place, and what came back there, which needs no holdout and so counts all runs. Two queries."""
    rows = list(Uplift.objects.filter(flow=flow, subcategory_id=subcategory_id))
    drawn = {row.arm: _named(row.counts) for row in rows if row.share == share and 0 < share < 1}
    every = [(row.arm, _named(row.counts)) for row in rows]
    sent = FirstSent.objects.filter(flow=flow, subcategory_id=subcategory_id)
    known = dict(sent.values_list("trigger", "at"))

    def counted(trigger: str, part: str, *arms: str) -> Counted:
        of = (sums for arm, sums in every if arm in arms)
        return sum(
            (Counted(sums[f"{trigger}.{part}_raised"], sums[f"{trigger}.{part}"]) for sums in of), Counted()
        )

    recurrences = [
        Recurrence(
            trigger,
            known[trigger],
            before=counted(trigger, "before", *Arm.values),
            guided=counted(trigger, "since", Arm.GUIDED),
            control=counted(trigger, "since", Arm.CONTROL),
        )
        for trigger in TRIGGERS
        if trigger in known
    ]
    return _place(share, drawn), recurrences


def _place(share: Decimal, arms: Mapping[str, Sums]) -> Place:
    return Place(share, arms.get(Arm.GUIDED, NOTHING), arms.get(Arm.CONTROL, NOTHING))


def _named(counts: list[int]) -> Sums:
    return dict(zip(PLACES, counts, strict=True))
