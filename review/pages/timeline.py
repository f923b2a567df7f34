"""A run's timeline as pages draw it: a lane per stage, judging and wait, on one time axis."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby

from django.utils.translation import gettext as _

from generation import timeline
from generation.axis import Axis, Bar, Scale, axis, scale
from generation.durations import took
from generation.flows import FLOWS, flow
from generation.judges.base import UNUSABLE
from generation.models import Call, Judgement, Run
from generation.money import dollars
from generation.reasons import plain
from generation.timeline import Row
from generation.verdicts import short

VERDICTS = {
    Judgement.Outcome.PASSED: ("passed", "i-check"),
    Judgement.Outcome.FAILED: ("attention", "i-return"),
}
UNJUDGED = ("attention", "i-question")
STATES = {
    "running": ("running", "i-turn"),
    "failed": ("failed", "i-cross"),
    "lost": ("failed", "i-question"),
    "stopped": ("machine", "i-stop"),
    "waiting": ("waiting", "i-clock"),
    "waited": ("waiting", "i-clock"),
}


@dataclass(frozen=True)
class Lane:
    """One row as it is drawn. tone and icon: how it went; fill: what kind of work it was."""

    row: Row
    label: str
    says: str
    took: str
    bar: Bar
    elapsed: float  # seconds, so far
    figures: str  # tokens and cost, where they may be shown
    linked: bool  # whether it leads to its prompt

    @property
    def tone(self) -> str:
        return self._look[0]

    @property
    def icon(self) -> str:
        return self._look[1]

    @property
    def _look(self) -> tuple[str, str]:
        if self.row.is_unjudged:
            return UNJUDGED
        if self.row.verdict:
            return VERDICTS[Judgement.Outcome(self.row.verdict)]
        return STATES.get(self.row.state, ("done", "i-check"))

    @property
    def fill(self) -> str:
        """A running bar keeps its kind: CSS draws it open."""
        if self.row.state in ("failed", "lost", "stopped", "waiting", "waited"):
            return "wait" if self.row.is_wait else self.row.state
        return {"REVIEW": "review", "FIX": "fix"}.get(self.row.badge, "stage")


@dataclass(frozen=True)
class Lap:
    """A round's lanes; each round begins at the axis' left edge."""

    round: int
    lanes: list[Lane]


@dataclass(frozen=True)
class Drawn:
    """laps: empty where nothing has happened yet. cut: whether waits are drawn shorter than they were."""

    run: Run
    laps: list[Lap]
    axis: Axis
    cut: bool
    worked: str
    newest: int  # the last event's id
    calls: list[Call] = field(default_factory=list)  # those whose figures may be shown

    @property
    def ticks(self) -> list[tuple[float, str]]:
        whole = self.axis.step >= 1
        return [(at, took(length, whole=whole) if length else "0") for at, length in self.axis.ticks]

    @property
    def step(self) -> str:
        return took(timedelta(seconds=self.axis.step), whole=self.axis.step >= 1)

    @property
    def rate(self) -> float:
        """Per cent of the axis that a running bar grows by in a second."""
        return round(100 / self.axis.length, 5)

    @property
    def figures(self) -> str:
        return figures(self.calls)

    @property
    def steps(self) -> int:
        return sum(not lane.row.is_wait for lap in self.laps for lane in lap.lanes)

    @property
    def newest_lane(self) -> Lane | None:
        return self.laps[-1].lanes[-1] if self.laps else None


def figures(calls: Collection[Call]) -> str:
    """Tokens and money of calls, in words; nothing where they used none."""
    read = sum(call.input_tokens + call.cache_read_tokens + call.cache_write_tokens for call in calls)
    written = sum(call.output_tokens for call in calls)
    cost = sum((call.cost_usd for call in calls), Decimal(0))
    words = []
    if read or written:
        words.append(_("%(read)s tokens in, %(written)s out") % {"read": f"{read:,}", "written": f"{written:,}"})
    if cost:
        words.append(dollars(cost))
    return ", ".join(words)


def draw(run: Run, *, shown: Collection[int] = (), linked: Collection[int] = ()) -> Drawn:
    """Read and draw. shown, linked: the rounds whose tokens, and whose prompts, may be seen.

    In other rounds stages are left out that guidance may have had run: who reviews must not know whether it spoke.
    """
    rows, newest, now = timeline.read(run)
    stages = flow(run.flow).stages if run.flow in FLOWS else {}
    steered = {name for name, stage in stages.items() if stage.on_guidance}
    rows = [row for row in rows if row.node not in steered or row.round in shown]
    return drawn(run, rows, now, newest=newest, shown=shown, linked=linked)


def nothing(run: Run) -> Drawn:
    """The timeline for who must not know how the judge found the record."""
    return drawn(run, [], run.changed_at)


def drawn(
    run: Run,
    rows: list[Row],
    now: datetime,
    *,
    newest: int = 0,
    shown: Collection[int] = (),
    linked: Collection[int] = (),
) -> Drawn:
    by_round = [(number, list(found)) for number, found in groupby(rows, key=lambda row: row.round)]
    scales = [_scale(found, now) for _number, found in by_round]
    longest = max(
        (s.seconds(end(row, now)) for s, (_n, found) in zip(scales, by_round, strict=True) for row in found),
        default=0.0,
    )
    shared = axis(longest, grows=any(row.state == "running" for row in rows))
    laps = [
        Lap(number, [_lane(run, row, shared, s, now, shown, linked) for row in found])
        for s, (number, found) in zip(scales, by_round, strict=True)
    ]
    worked = sum((row.took(now) for row in rows if not row.is_wait and row.state != "lost"), timedelta())
    calls = [row.call for row in rows if row.call and row.round in shown]
    return Drawn(run, laps, shared, any(s.cuts for s in scales), took(worked), newest, calls)


def end(row: Row, now: datetime) -> datetime:
    return row.began + row.took(now)


def _scale(rows: list[Row], now: datetime) -> Scale:
    """Times at which something is known to have run keep their length; the rest is cut where it is long."""
    busy = [(row.began, end(row, now)) for row in rows if row.state in ("running", "done", "failed", "stopped")]
    origin = min(row.began for row in rows)
    return scale(origin, busy, max(end(row, now) for row in rows))


def _lane(
    run: Run,
    row: Row,
    shared: Axis,
    its_scale: Scale,
    now: datetime,
    shown: Collection[int],
    linked: Collection[int],
) -> Lane:
    length = row.took(now)
    return Lane(
        row=row,
        label=_("Wait") if row.is_wait else timeline.label(run.flow, row.node),
        says=says(row),
        took=took(length, whole=row.is_open) if length else "",
        bar=shared.bar(its_scale, row.began, row.began + length),
        elapsed=round(length.total_seconds(), 2),
        figures=figures([row.call]) if row.call and row.round in shown else "",
        linked=row.round in linked and row.call is not None,
    )


def says(row: Row) -> str:
    """What became of it, in plain words; nothing where all is well."""
    if row.is_wait:
        return plain(row.reason) if row.reason else _("for a worker")
    if row.verdict:
        return short(row.verdict, row.why)
    if row.unused:
        return plain(UNUSABLE)
    if row.state == "lost":
        return _("its worker ended without a word")
    if row.state == "stopped":
        return _("stopped here")
    return plain(row.reason) if row.state == "failed" else ""
