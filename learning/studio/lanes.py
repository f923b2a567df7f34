"""Times of change, drawn on the server: per trigger a lane of today's thresholds and one of those tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from learning.policies import STEADY

WIDTH = 600  # of the drawing; it stretches
NARROWEST = 1.5
LISTED = 60  # changes in words


@dataclass(frozen=True)
class Bar:
    """A stretch during which the trigger was on."""

    x: float
    width: float
    says: str


@dataclass(frozen=True)
class Lane:
    """One trigger by one set of thresholds. share: per cent of the reviews after which it was on. policy: named
    where two are compared."""

    of_ten: int
    reviews: int
    runs: int
    changes: int
    on: bool
    bars: list[Bar]
    share: float
    share_of_runs: float
    policy: str = ""

    @property
    def length(self) -> float:
        """Of the bar that compares, in a drawing 100 wide; something is never drawn as nothing."""
        return max(1.5, self.share) if self.reviews else 0

    @property
    def is_cut(self) -> bool:
        return len(self.bars) * 2 < self.changes - 1

    @property
    def listed(self) -> list[Bar]:
        """The newest changes, in words."""
        return self.bars[: -LISTED - 1 : -1]

    @property
    def counts_ten(self) -> bool:
        """Whether it goes on at so many of ten; `steady` goes by evidence."""
        return self.policy != STEADY

    @property
    def says(self) -> str:
        changes = ngettext("%d change", "%d changes", self.changes) % self.changes
        rule = gettext("%d of ten") % self.of_ten if self.counts_ten else self.policy
        return gettext("%(rule)s: %(changes)s, on after %(share)s %% of the reviews") % {
            "rule": rule,
            "changes": changes,
            "share": round(self.share),
        }


@dataclass(frozen=True)
class Compared:
    """One trigger, both ways. other_reviews, other_runs: for how many the two are not the same."""

    label: str
    today: Lane
    new: Lane
    other_reviews: int
    other_runs: int
    policies: tuple[str, str] = ("", "")  # named where they are not the same

    @property
    def both(self) -> list[tuple[Lane, str, str]]:
        """Each lane with its name and its kind."""
        today, new = (f", {name}" if name else "" for name in self.policies)
        return [(self.today, gettext("today") + today, "today"), (self.new, gettext("tried") + new, "new")]

    @property
    def is_other(self) -> bool:
        """By another threshold; or, where a policy is tried, by when it was on."""
        if not any(self.policies):
            return self.today.of_ten != self.new.of_ten
        return bool(self.other_reviews or self.other_runs) or self.today.bars != self.new.bars


def lanes(label: str, found: Mapping[str, Any], part: Mapping[str, Any]) -> Compared:
    """found: one trigger of `learning.backtest.Result` as JSON; part: that result."""
    policies = today, tried = tuple(part.get("policies", ("", "")))
    named = policies if today != tried else ("", "")
    return Compared(
        label=label,
        today=_lane(found["today"], part, named[0]),
        new=_lane(found["new"], part, named[1]),
        other_reviews=found["other_reviews"],
        other_runs=found["other_runs"],
        policies=named,
    )


def _lane(found: Mapping[str, Any], part: Mapping[str, Any], policy: str) -> Lane:
    return Lane(
        of_ten=found["of_ten"],
        reviews=found["reviews"],
        runs=found["runs"],
        changes=found["changes"],
        on=found["on"],
        bars=_bars(found["spans"], part["first"], part["last"]),
        share=_share(found["reviews"], part["reviews"]),
        share_of_runs=_share(found["runs"], part["runs"]),
        policy=policy,
    )


def _share(count: int, of: int) -> float:
    return 100 * count / of if of else 0


def _bars(spans: Sequence[Sequence[str | None]], first: str | None, last: str | None) -> list[Bar]:
    if first is None or last is None:
        return []
    begin = datetime.fromisoformat(first)
    long = (datetime.fromisoformat(last) - begin).total_seconds()

    def x(moment: datetime) -> float:
        return round(WIDTH * (moment - begin).total_seconds() / long, 1) if long else 0

    bars = []
    for start, end in spans:
        assert start is not None
        since, until = datetime.fromisoformat(start), datetime.fromisoformat(end or last)
        left = min(x(since), WIDTH - NARROWEST)
        right = x(until) if end else WIDTH
        bars.append(Bar(left, max(NARROWEST, round(right - left, 1)), _says(since, until if end else None)))
    return bars


def _says(since: datetime, until: datetime | None) -> str:
    if until is None:
        return gettext("on since %s") % moment(since)
    return gettext("on from %(since)s to %(until)s") % {"since": moment(since), "until": moment(until)}


def moment(at: datetime) -> str:
    return date_format(at, "Y-m-d H:i")
