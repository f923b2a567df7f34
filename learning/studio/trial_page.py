"""What the page of a trial shows: how far it is, its runs, and the figures of all of them."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from django.db.models import Sum

from generation.models import Status, Trial, TrialCall
from generation.trials.past import past
from generation.trials.stages import judges
from learning.studio.said import approved_records, first_reviews_of
from learning.studio.trial_figures import Figure, Measure, figures, measures
from learning.studio.trial_run import Tried


@dataclass(frozen=True)
class TrialPage:
    trial: Trial
    runs: list[Tried]

    @property
    def judges(self) -> bool:
        return judges(self.trial.version.prompt)

    @cached_property
    def over(self) -> list[Tried]:
        return [tried for tried in self.runs if tried.one.is_over]

    @cached_property
    def made(self) -> list[Tried]:
        """Those with a record to set beside the one of then."""
        return [tried for tried in self.over if tried.record is not None and tried.one.status != Status.STOPPED]

    @property
    def is_over(self) -> bool:
        return len(self.over) == len(self.runs)

    @property
    def part_over(self) -> float:
        return 100 * len(self.over) / len(self.runs) if self.runs else 100

    @property
    def cost(self) -> Decimal:
        return sum((tried.one.cost_usd for tried in self.runs), Decimal(0))

    @property
    def failed(self) -> int:
        return sum(tried.one.status == Status.FAILED for tried in self.over)

    @property
    def takes_tokens(self) -> bool:
        """The demo's rules take none."""
        return any(tried.one.input_tokens for tried in self.runs)

    @property
    def waits(self) -> str:
        """Why runs wait, where they do."""
        return next(
            (tried.why for tried in self.runs if tried.one.status == Status.QUEUED and tried.one.error), ""
        )

    @property
    def measures(self) -> list[Measure]:
        return measures(self.made, judging=self.judges)

    @property
    def figures(self) -> list[Figure]:
        return [] if self.judges else figures(self.made)


def trial_page(trial: Trial, position: int | None = None) -> TrialPage:
    """position: of one run alone. Seven queries, however many runs."""
    rows = trial.runs.select_related("run", "subcategory", "run__subcategory")
    ones = list(rows if position is None else rows.filter(position=position))
    runs = [one.run for one in ones]
    made, said, left = past(run.pk for run in runs), first_reviews_of(runs), approved_records(runs)
    sums = TrialCall.objects.filter(tried__in=ones).order_by().values_list("tried")
    lengths = dict(sums.annotate(Sum("duration_ms")))
    return TrialPage(
        trial,
        [
            Tried(one, made[one.run_id], said.get(one.run_id), left.get(one.run_id), lengths.get(one.pk, 0))
            for one in ones
        ],
    )
