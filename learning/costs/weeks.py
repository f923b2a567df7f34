"""What an accepted record cost week by week: of the runs that were over in it, whenever they began."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from learning.costs.counts import Sums, added, none
from learning.costs.measures import Measure
from review.exports.columns import Column, Row, columns

SHOWN = 8
COLUMNS: tuple[Column, ...] = columns(
    flow="text", week="text", runs="integer", accepted="integer", cost_usd="number", tokens="integer",
    seconds="number",
)  # fmt: skip


@dataclass(frozen=True)
class Week:
    """sums: of all stages. monday: when it begins, UTC; the last one still goes on."""

    monday: date
    sums: Sums

    def per(self, by: Measure) -> float | None:
        """Per accepted record; None where none was accepted."""
        return by.of(self.sums) / self.sums["accepted"] if self.sums["accepted"] else None

    def words(self, by: Measure) -> str:
        value = self.per(by)
        return "–" if value is None else by.words(value)

    def told(self, by: Measure) -> str:
        """With the unit."""
        value = self.per(by)
        return "–" if value is None else by.told(value)


def monday_of(at: datetime) -> date:
    """The week of a moment in UTC, as the SQL has it."""
    return at.date() - timedelta(days=at.weekday())


def since(now: datetime) -> date:
    return monday_of(now) - timedelta(weeks=SHOWN - 1)


def weeks(sums: Mapping[tuple[date, str], Sums], now: datetime) -> list[Week]:
    """The last ones, also those in which nothing was over."""
    mondays = [since(now) + timedelta(weeks=number) for number in range(SHOWN)]
    return [Week(monday, _of(sums, monday)) for monday in mondays]


def _of(sums: Mapping[tuple[date, str], Sums], monday: date) -> Sums:
    """How many runs there are stands at the run itself; what they asked at the stages."""
    whole = added(one for (week, stage), one in sums.items() if week == monday and stage)
    of_runs = sums.get((monday, ""), none())
    return whole | {place: of_runs[place] for place in ("runs", "accepted", "first_accepted")}


def row(flow: str, week: Week, tokens: int) -> Row:
    return {
        "flow": flow, "week": week.monday.isoformat(), "runs": week.sums["runs"],
        "accepted": week.sums["accepted"], "cost_usd": week.sums["cost"] / 1_000_000, "tokens": tokens,
        "seconds": week.sums["duration_ms"] / 1000,
    }  # fmt: skip
