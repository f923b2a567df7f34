"""What an accepted record of one flow costs."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from generation import clock
from generation.flows import FLOWS, label_of
from learning import facts
from learning.costs import counts, weeks
from learning.costs.counts import Sums
from learning.costs.measures import MEASURES, Measure
from learning.costs.savings import Added, Saved, added, saved
from learning.costs.stages import OfStage, Per, stages
from learning.costs.weeks import Week


@dataclass(frozen=True)
class Part:
    """A stage's share of the whole, in per cent."""

    label: str
    share: float
    words: str


@dataclass(frozen=True)
class Page:
    flow: str
    flows: dict[str, int]  # with runs that are over
    by: str  # of MEASURES
    sums: dict[tuple[str, int, str], Sums]
    stages: list[OfStage]
    weeks: list[Week]
    as_of: datetime | None

    @property
    def measure(self) -> Measure:
        return MEASURES[self.by]

    @property
    def measures(self) -> list[tuple[str, str]]:
        return [(name, str(measure.label)) for name, measure in MEASURES.items()]

    @property
    def runs(self) -> int:
        return self.flows.get(self.flow, 0)

    @property
    def of_runs(self) -> Sums:
        return self.sums.get(counts.RUNS, counts.none())

    @property
    def whole(self) -> Per:
        """All stages together."""
        of_runs = self.of_runs
        return Per(
            counts.added(stage.sums for stage in self.stages), of_runs["accepted"], of_runs["first_accepted"]
        )

    @property
    def parts(self) -> list[Part]:
        """The stages that cost anything, in the flow's order."""
        by, whole = self.measure, self.measure.of(self.whole.sums)
        return [
            Part(stage.label, 100 * by.of(stage.sums) / whole, stage.told(by))
            for stage in self.stages
            if whole and by.of(stage.sums)
        ]

    @property
    def acceptance(self) -> float | None:
        """Of runs that are over, 0 to 1."""
        return self.whole.accepted / self.runs if self.runs else None

    @property
    def may_draw_weeks(self) -> bool:
        """Whether any of them came to anything."""
        return any(week.per(self.measure) for week in self.weeks)

    @property
    def models(self) -> dict[str, Sums]:
        names = dict.fromkeys(model for stage in self.stages for model in stage.models)
        return {
            name: counts.added(stage.models[name] for stage in self.stages if name in stage.models)
            for name in names
        }

    @property
    def added(self) -> Added:
        return added(self.models, self.whole.accepted)

    @property
    def saved(self) -> Saved:
        return saved(self.models, self.whole.accepted)

    @property
    def summary(self) -> str:
        cost = self.whole.told(self.measure)
        if self.by == "time":
            cost = _("%s of the models’ time") % cost
        words = {"flow": label_of(self.flow), "cost": cost}
        if not self.whole.accepted:
            return _("No record of this flow was accepted yet.")
        if not self.parts:
            return str(self.measure.nothing)
        if len(self.parts) < 2:
            return _("%(flow)s: an accepted record costs %(cost)s.") % words
        most = max(self.parts, key=lambda part: part.share)
        words |= {"stage": most.label, "share": str(round(most.share))}
        return _("%(flow)s: an accepted record costs %(cost)s, %(share)s %% of it for %(stage)s.") % words


def page(flow: str, by: str) -> Page:
    """Unknown values: the flow with most runs; that of the measures which came to anything first. Six queries."""
    flows = {name: runs for name, runs in counts.runs_by_flow().items() if name in FLOWS}
    found = flow if flow in flows else max(flows, key=lambda name: flows[name], default=next(iter(FLOWS)))
    sums, now = counts.of(found), clock.now().astimezone(UTC)
    if by not in MEASURES:
        whole = counts.added(sums.values())
        by = next((name for name, measure in MEASURES.items() if measure.of(whole)), "tokens")
    return Page(
        flow=found,
        flows=flows,
        by=by,
        sums=sums,
        stages=stages(found, sums),
        weeks=weeks.weeks(counts.of_weeks(found, weeks.since(now)), now),
        as_of=facts.as_of(),
    )
