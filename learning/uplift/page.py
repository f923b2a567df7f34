"""What the page of evidence shows: a sentence, and per flow its sum and its subcategories."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.flows import FLOWS, label_of
from generation.models import Subcategory
from learning import facts
from learning.statistics.sequential import discoveries
from learning.strips import TRIGGERS
from learning.uplift.comparing import ORDER, Comparison
from learning.uplift.reading import Place, Recurrence, of_subcategory, places, share_in_force, shares, together
from review.words import label

SHOWN = 20  # subcategories of a flow, on one page of it
SHOWN_OF_EACH = 6  # where all flows stand on one page


@dataclass(frozen=True)
class Signal:
    """How often a correction was asked for while its trigger was on, with its guidance and without."""

    label: str
    compared: Comparison


@dataclass(frozen=True)
class Row:
    """One subcategory, or None for a flow as a whole."""

    flow: str
    subcategory: Subcategory | None
    place: Place

    @cached_property
    def accepted(self) -> Comparison:
        return self.place.accepted

    @cached_property
    def signals(self) -> list[Signal]:
        """Those that were on in any run that was reviewed."""
        found = [(trigger, self.place.raised(trigger)) for trigger in TRIGGERS]
        return [Signal(signal_label(self.flow, name), compared) for name, compared in found if compared.reviewed]


def signal_label(flow: str, trigger: str) -> str:
    """A run counts whatever field was missed."""
    name = label(flow, trigger)
    return _("%s, any") % name if trigger == "missing_spec_trigger" else name


@dataclass(frozen=True)
class Block:
    """One flow."""

    flow: str
    total: Row
    rows: Sequence[Row]
    of: int  # subcategories in all
    next: int | None  # the subcategory after which the next page begins

    @property
    def label(self) -> str:
        return label_of(self.flow)


@dataclass(frozen=True)
class EvidencePage:
    """share: of the holdout, that the runs shown were drawn by. compared: subcategories that
    have runs of both kinds. helps, harms: those of which that is sure."""

    blocks: Sequence[Block]
    flow: str
    flows: Sequence[tuple[str, str]]
    share: Decimal
    shares: Sequence[Decimal]
    is_in_force: bool
    as_of: datetime | None
    compared: int
    helps: int
    harms: int

    @property
    def holdout(self) -> float:
        return percent(self.share)

    @property
    def share_text(self) -> str:
        """As the address has it."""
        return str(self.share.normalize())

    @property
    def holdouts(self) -> list[tuple[str, float]]:
        """All that runs were ever drawn by: as the address has it, and per cent."""
        return [(str(share.normalize()), percent(share)) for share in sorted({*self.shares, self.share})]

    @property
    def sentence(self) -> str:
        """What a lead takes along. It counts only what stands though many subcategories were looked at."""
        if not self.compared:
            return _("Nothing can be said yet: no run of a holdout was reviewed.")
        where = ngettext("%d subcategory", "%d subcategories", self.compared) % self.compared
        if not self.helps and not self.harms:
            return _("It is not clear yet whether guidance helps: no difference is sure in %s.") % where
        values = {"helps": self.helps, "harms": self.harms, "where": where}
        if not self.harms:
            said = _("Guidance helps in %(helps)d of %(where)s") % values
        elif not self.helps:
            said = _("Guidance harms in %(harms)d of %(where)s, and helps in none for sure") % values
        else:
            said = _("Guidance helps in %(helps)d of %(where)s and harms in %(harms)d") % values
        left = self.compared - self.helps - self.harms
        return (
            _("%(said)s; for the other %(left)d no difference is sure yet.") % {"said": said, "left": left}
            if (left)
            else f"{said}."
        )


@dataclass(frozen=True)
class Evidence:
    """One subcategory's, at the share of the holdout that is in force; corrections by what people call them."""

    row: Row
    recurrences: Sequence[tuple[str, Recurrence]]

    def as_json(self) -> dict[str, Any]:
        place = self.row.place
        return {
            "holdout_share": float(place.share),
            "first_pass_acceptance": place.accepted.as_json(),
            "triggers": {name: place.raised(name).as_json() for name in TRIGGERS},
            "recurrence": {one.trigger: one.as_json() for _label, one in self.recurrences},
        }


def uplift_of(flow: str, subcategory: Subcategory) -> Evidence:
    """Two queries."""
    place, recurrences = of_subcategory(flow, subcategory.pk, share_in_force())
    named = [(signal_label(flow, one.trigger), one) for one in recurrences]
    return Evidence(Row(flow, subcategory, place), named)


def percent(share: Decimal) -> float:
    return float(100 * share)


def evidence(flow: str = "", share: str = "", after: str = "") -> EvidencePage:
    """flow: else all of them. share: of the holdout, else the one in force, else the greatest that was. after: the
    subcategory behind which a flow's page begins. Four queries, and one for the names of what is shown."""
    flow = flow if flow in FLOWS else ""
    known, now = shares(), share_in_force()
    usual = now if now in known or not known else known[0]
    chosen = next((one for one in known if str(one.normalize()) == share), usual)
    found = places(chosen)
    by_flow = {name: {at: place for (of, at), place in found.items() if of == name} for name in FLOWS}
    looked_at = {name: of for name, of in by_flow.items() if of and flow in ("", name)}
    every = [place.accepted for of in looked_at.values() for place in of.values() if place.accepted.is_known]
    sure = [one for one, is_sure in zip(every, discoveries(c.log_e for c in every), strict=True) if is_sure]
    return EvidencePage(
        blocks=[_block(name, of, chosen, after if flow else "", bool(flow)) for name, of in looked_at.items()],
        flow=flow,
        flows=[(name, label_of(name)) for name, of in by_flow.items() if of],
        share=chosen,
        shares=known,
        is_in_force=chosen == now,
        as_of=facts.as_of(),
        compared=len(every),
        helps=sum((one.difference or 0) > 0 for one in sure),
        harms=sum((one.difference or 0) < 0 for one in sure),
    )


def _block(flow: str, of: dict[int, Place], share: Decimal, after: str, alone: bool) -> Block:
    order = sorted(of, key=lambda at: (-of[at].accepted.log_e, -of[at].reviewed, at))
    begin = next((place for place, at in enumerate(order, 1) if str(at) == after), 0)
    shown = order[begin : begin + (SHOWN if alone else SHOWN_OF_EACH)]
    names = Subcategory.objects.in_bulk(shown)
    rows = [Row(flow, names[at], of[at]) for at in shown if at in names]
    rows.sort(key=lambda row: ORDER.index(row.accepted.verdict))
    left = begin + len(shown) < len(order)
    total = Row(flow, None, together(share, of.values()))
    return Block(flow, total, rows, len(order), shown[-1] if left else None)


def every_row(page: EvidencePage) -> Iterator[Row]:
    """All that the page and its next ones show, each flow's sum before its subcategories."""
    found = places(page.share)
    names = Subcategory.objects.in_bulk({at for _flow, at in found})
    for flow in [name for name in FLOWS if page.flow in ("", name)]:
        of = {at: place for (name, at), place in found.items() if name == flow and at in names}
        if of:
            yield Row(flow, None, together(page.share, of.values()))
            yield from (Row(flow, names[at], of[at]) for at in sorted(of, key=lambda at: names[at].slug))
