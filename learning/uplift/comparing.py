"""Runs with guidance beside those of the holdout: one share of both, how sure the difference is, and in words."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from learning.statistics import sequential
from learning.statistics.proportions import Rate
from learning.statistics.sequential import Arm

Verdict = Literal["helps", "harms", "none", "few"]
EQUAL = 10  # points: a difference that is certainly smaller is told as none
ORDER: tuple[Verdict, ...] = ("harms", "helps", "none", "few")  # what wants to be read first


@dataclass(frozen=True)
class Counted:
    """count of `of` reviewed runs."""

    count: int = 0
    of: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(self.count + other.count, self.of + other.of)

    @property
    def rate(self) -> Rate:
        return Rate(self.count, self.of)

    @property
    def percent(self) -> float | None:
        return self.rate.percent

    @property
    def arm(self) -> Arm:
        return Arm(self.count, self.of)

    def as_json(self) -> dict[str, Any]:
        percent = None if self.percent is None else round(self.percent, 1)
        return {"count": self.count, "reviewed": self.of, "percent": percent}


@dataclass(frozen=True)
class Comparison:
    """more: whether more of it is better. share: of the holdout.

    Differences are in points, with guidance less without.
    """

    guided: Counted
    control: Counted
    share: float
    more: bool

    @property
    def reviewed(self) -> int:
        return self.guided.of + self.control.of

    @property
    def is_known(self) -> bool:
        return bool(self.guided.of and self.control.of)

    @property
    def difference(self) -> float | None:
        if not self.is_known:
            return None
        return 100 * (self.guided.arm.share - self.control.arm.share)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Of the difference; they hold at all times at once, with 95 per cent."""
        low, high = sequential.interval(self.guided.arm, self.control.arm)
        return 100 * low, 100 * high

    @property
    def at_one_look(self) -> tuple[float, float]:
        """Newcombe's bounds, for who looks once, at a time that was set before."""
        return self.guided.rate.minus(self.control.rate)

    @cached_property
    def log_e(self) -> float:
        return sequential.log_e(self.guided.arm, self.control.arm)

    @property
    def e_value(self) -> float:
        return sequential.e_value(self.guided.arm, self.control.arm)

    @cached_property
    def verdict(self) -> Verdict:
        low, high = self.bounds
        if low > 0 or high < 0:
            return "helps" if (low > 0) is self.more else "harms"
        return "none" if max(-low, high) < EQUAL else "few"

    @cached_property
    def reviews_needed(self) -> int | None:
        """How many more it takes at the rates seen so far; None where no number that one could plan with does."""
        if not self.is_known or not 0 < self.share < 1:
            return None
        rates = self.guided.arm.share, self.control.arm.share
        found = sequential.reviews_until_seen(self.guided.arm, self.control.arm, rates, self.share)
        return None if found == inf else round(found)

    @property
    def words(self) -> str:
        """The verdict, with what it takes where there is none yet."""
        if self.verdict == "helps":
            return _("Helps")
        if self.verdict == "harms":
            return _("Harms")
        if self.verdict == "none":
            return _("No difference seen: less than %d points") % EQUAL
        return _("Not enough yet: %s") % self._needs

    @property
    def _needs(self) -> str:
        if not self.control.of:
            return _("no run of the holdout was reviewed")
        if not self.guided.of:
            return _("no run with guidance was reviewed")
        more = self.reviews_needed
        if more is None or more > max(2_000, 20 * self.reviewed):
            return _("about %(reviews)s would show a difference of %(points)d points") % {
                "reviews": _reviews(_rounded(self._to_see(EQUAL))),
                "points": EQUAL,
            }
        holdout = max(1, round(more * self.share))
        return _("about %(reviews)s more, %(holdout)d of them of the holdout") % {
            "reviews": _reviews(_rounded(more)),
            "holdout": holdout if more < 100 else _rounded(holdout),
        }

    def _to_see(self, points: float) -> float:
        """Reviews in all, the ones there are among them, that show such a difference around the share of both."""
        both = (self.guided.count + self.control.count) / self.reviewed
        middle = min(max(both, points / 200), 1 - points / 200)
        rates = middle + points / 200, middle - points / 200
        none = Arm(0, 0)
        return min(sequential.MANY, sequential.reviews_until_seen(none, none, rates, self.share))

    def as_json(self) -> dict[str, Any]:
        low, high = self.bounds
        return {
            "guided": self.guided.as_json(),
            "control": self.control.as_json(),
            "difference": None if self.difference is None else round(self.difference, 1),
            "low": round(low, 1),
            "high": round(high, 1),
            "e_value": float(f"{self.e_value:.4g}"),
            "verdict": self.verdict,
            "reviews_needed": self.reviews_needed if self.verdict == "few" else None,
        }


def _reviews(number: int) -> str:
    return ngettext("%d review", "%d reviews", number) % number


def _rounded(number: float) -> int:
    """Two figures of it: more would be feigned."""
    return int(float(f"{number:.2g}")) if number >= 10 else max(1, round(number))
