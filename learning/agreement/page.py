"""How far people agree in one flow: each signal with its alpha, what that allows to say, and the runs behind."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from generation.flows import FLOWS
from learning import facts
from learning.agreement import counts
from learning.agreement.differing import Differing, differing
from learning.statistics.alpha import Alpha, Patterns, alpha
from review.exports.columns import Column, Row, columns
from review.words import label

# Krippendorff, K. (2004), Content Analysis, 2nd ed., ch. 11.4.2: what data may be relied on for.
RELIABLE, TENTATIVE = 0.8, 0.667
LOWEST = -0.25  # that is drawn where no bound is lower
FEW = 10  # records below which nothing is said in words
VERDICTS: dict[str, Promise] = {
    "reliable": gettext_lazy("people agree"),
    "tentative": gettext_lazy("people mostly agree"),
    "unreliable": gettext_lazy("people differ too often to rely on it"),
    "unsure": gettext_lazy("not enough records to say"),
    "same": gettext_lazy("all said the same: nothing to compare"),
}
UNTOLD: dict[str, Promise] = {  # of how many lines neither is said
    "same": gettext_lazy("On %(count)d of %(of)d all said the same: nothing to compare."),
    "unsure": gettext_lazy("Of %(count)d of %(of)d there is not enough to say."),
}
COLUMNS: tuple[Column, ...] = columns(
    flow="text", what="text", records="integer", values="integer", said="number", agreed="number", alpha="number",
    low="number", high="number", verdict="text",
)  # fmt: skip


def name_of(flow: str, what: str) -> str:
    """What people are compared in, in the flow's words."""
    own = {"decision": _("Decision"), "accepted": _("Approved as it is")}
    return own.get(what) or label(flow, what)


@dataclass(frozen=True)
class Line:
    """One signal of a flow."""

    flow: str
    what: str
    patterns: Patterns

    @property
    def label(self) -> str:
        return name_of(self.flow, self.what)

    @property
    def alpha(self) -> Alpha:
        return alpha(self.patterns)

    @property
    def said(self) -> float | None:
        """The share of people's yeses, 0 to 1; of a decision there is none."""
        if len(counts.WHAT[self.what]) != 2 or not self.alpha.values:
            return None
        heard = ((pattern, units) for pattern, units in self.patterns.items() if sum(pattern) > 1)
        return sum(pattern[1] * units for pattern, units in heard) / self.alpha.values

    @property
    def differing(self) -> int:
        """Records of which not all said the same."""
        return sum(units for pattern, units in self.patterns.items() if sum(count > 0 for count in pattern) > 1)

    @property
    def unset(self) -> int:
        """Records of which fewer than two people said anything here."""
        return sum(units for pattern, units in self.patterns.items() if sum(pattern) < 2)

    @property
    def code(self) -> str:
        """Of VERDICTS. By the interval and not by alpha itself, which a few records make anything."""
        found = self.alpha
        if found.value is None and found.units >= FEW:
            return "same"
        if found.low is None or found.high is None or found.units < FEW:
            return "unsure"
        if found.low >= RELIABLE:
            return "reliable"
        if found.high < TENTATIVE:
            return "unreliable"
        return "tentative" if found.low >= TENTATIVE else "unsure"

    @property
    def verdict(self) -> Promise:
        return VERDICTS[self.code]

    def as_row(self) -> Row:
        found = self.alpha
        return {
            "flow": self.flow, "what": self.what, "records": found.units, "values": found.values,
            "said": self.said, "agreed": found.agreed, "alpha": found.value, "low": found.low, "high": found.high,
            "verdict": str(self.verdict),
        }  # fmt: skip


@dataclass(frozen=True)
class Page:
    flow: str
    flows: dict[str, int]  # with records that several people reviewed
    lines: list[Line]
    what: str  # that the list of runs is about
    runs: Differing
    as_of: datetime | None

    @property
    def records(self) -> int:
        return self.flows.get(self.flow, 0)

    @property
    def what_label(self) -> str:
        return name_of(self.flow, self.what)

    @property
    def lowest(self) -> float:
        """Where the scale of all lines begins: at the lowest bound."""
        return min([LOWEST, *(line.alpha.low for line in self.lines if line.alpha.low is not None)])

    @property
    def summary(self) -> str:
        """What a team lead wants to know, in a sentence or two."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        apart, agreed = self._named("unreliable"), self._named("reliable", "tentative")
        if apart:
            yield _("People differ too often on %(what)s to rely on it: agree on what it means.") % {"what": apart}
        if agreed:
            yield _("They agree on %(what)s.") % {"what": agreed}
        for code, words in UNTOLD.items():
            if count := sum(line.code == code for line in self.lines):
                yield words % {"count": count, "of": len(self.lines)}

    def _named(self, *codes: str) -> str:
        return get_text_list([line.label for line in self.lines if line.code in codes], _("and"))


def page(flow: str, what: str, *, behind: str = "") -> Page:
    """Unknown values: the flow with most records, and the first signal. Five queries at most."""
    flows = {name: units for name, units in counts.units_by_flow().items() if name in FLOWS}
    found = flow if flow in flows else max(flows, key=lambda name: flows[name], default=next(iter(FLOWS)))
    what = what if what in counts.WHAT else next(iter(counts.WHAT))
    sums = counts.of(found)
    return Page(
        flow=found,
        flows=flows,
        lines=[Line(found, name, sums.get(name, {})) for name in counts.WHAT],
        what=what,
        runs=differing(found, what, behind=behind),
        as_of=facts.as_of(),
    )
