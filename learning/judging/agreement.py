"""How far a judge and people agree, read off the counts of one criterion."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from learning.judging.counting import Counts
from learning.statistics.kappa import Kappa, kappa
from learning.statistics.proportions import Rate

# Why there is no kappa, of the judge (first) and people (second).
REASONS: dict[str, str | Promise] = {
    "nothing": _("nothing to compare yet"),
    "first_constant": _("the judge said the same of all"),
    "second_constant": _("people said the same of all"),
}


@dataclass(frozen=True)
class Agreement:
    """One criterion: what the judge passed or failed, and what people found good or bad.

    Compared is only what both said something of; a judge that could not judge neither passed nor failed.
    """

    counts: Counts

    @property
    def compared(self) -> int:
        return sum(self.counts[place] for place in ("passed_good", "passed_bad", "failed_good", "failed_bad"))

    @property
    def unsaid(self) -> int:
        """The judge judged, and people said nothing of it."""
        return self.counts["passed_unsaid"] + self.counts["failed_unsaid"]

    @property
    def unavailable(self) -> int:
        return sum(self.counts[f"unavailable_{said}"] for said in ("good", "bad", "unsaid"))

    @property
    def reviews(self) -> int:
        return sum(self.counts.values())

    @property
    def false_passes(self) -> int:
        return self.counts["passed_bad"]

    @property
    def false_fails(self) -> int:
        return self.counts["failed_good"]

    @property
    def base(self) -> Rate:
        """What people found bad."""
        return Rate(self.false_passes + self.counts["failed_bad"], self.compared)

    @property
    def failed(self) -> Rate:
        return Rate(self.false_fails + self.counts["failed_bad"], self.compared)

    @property
    def agreed(self) -> Rate:
        return Rate(self.counts["passed_good"] + self.counts["failed_bad"], self.compared)

    @property
    def always(self) -> Rate:
        """How often a judge that passes all would have agreed."""
        return Rate(self.counts["passed_good"] + self.false_fails, self.compared)

    @property
    def caught(self) -> Rate:
        """Of what people found bad, what the judge failed."""
        return Rate(self.counts["failed_bad"], self.base.count)

    @property
    def held(self) -> Rate:
        """Of what people found good, what the judge failed."""
        return Rate(self.false_fails, self.always.count)

    @property
    def right(self) -> Rate:
        """Of what the judge failed, what people found bad, too."""
        return Rate(self.counts["failed_bad"], self.failed.count)

    @property
    def beats(self) -> bool | None:
        """Whether the judge agrees more often than one that passes all; None where it may be chance.

        The two differ only where the judge fails something: it wins where that was bad, loses where it was good.
        """
        if self.right.low > 50:
            return True
        return False if self.right.of and self.right.high < 50 else None

    @property
    def kappa(self) -> Kappa | None:
        found = self._kappa
        return found if isinstance(found, Kappa) else None

    @property
    def reason(self) -> str | Promise:
        """Why there is no kappa."""
        return REASONS.get(str(self._kappa), "")

    @property
    def _kappa(self) -> Kappa | str:
        return kappa(self.counts["passed_good"], self.false_passes, self.false_fails, self.counts["failed_bad"])
