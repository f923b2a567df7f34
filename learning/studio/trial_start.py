"""What the page shows before a trial starts: which version, on which past runs, and what it will cost."""

from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import Sum
from django.db.models.functions import Now, TruncDate

from generation.models import DailySpend, Prompt, PromptVersion, Run, Subcategory, Trial
from generation.trials.past import MOST, Past, candidates, past
from generation.trials.stages import judges
from generation.trials.starting import estimate
from learning.studio.said import first_reviews_of
from review.models import ReviewEvent, Tally

AT_FIRST = 10  # runs that are chosen when the page opens: half of what may be
TRIALS_SHOWN = 20
VERSIONS_SHOWN = 100


@dataclass(frozen=True)
class Candidate:
    """A past run that may be tried. usd: what its calls would cost today, None where none is known."""

    run: Run
    past: Past
    usd: Decimal | None
    review: ReviewEvent | None
    chosen: bool


@dataclass(frozen=True)
class Start:
    prompt: Prompt
    versions: list[PromptVersion]
    version: PromptVersion | None
    subcategories: list[Subcategory]
    subcategory: Subcategory | None
    candidates: list[Candidate]
    usd: Decimal | None  # of those chosen
    spent: Decimal  # today, by all calls
    trials: list[Trial]

    most = MOST

    @property
    def chosen(self) -> int:
        return sum(one.chosen for one in self.candidates)

    @property
    def judges(self) -> bool:
        return judges(self.prompt)

    @property
    def cap(self) -> Decimal | None:
        return settings.FOLDBACK_SPEND_CAP_USD or None

    @property
    def passes_cap(self) -> bool:
        return self.cap is not None and self.usd is not None and self.spent + self.usd > self.cap


def start_page(prompt: Prompt, number: str, slug: str, chosen: set[UUID] | None) -> Start:
    """chosen: None where nobody has chosen yet. A version or subcategory that there is not is the first one."""
    versions = list(prompt.versions.select_related("prompt", "author").order_by("-number")[:VERSIONS_SHOWN])
    version = next((one for one in versions if str(one.number) == number), versions[0] if versions else None)
    subcategories = with_runs(prompt.flow)
    subcategory = next((one for one in subcategories if one.slug == slug), next(iter(subcategories), None))
    found = _candidates(prompt, version, subcategory, chosen) if version and subcategory else ([], None)
    day = DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC)).values_list("cost_usd", flat=True)
    trials = Trial.objects.filter(version__prompt=prompt).select_related("version__prompt", "subcategory", "by")
    return Start(
        prompt=prompt,
        versions=versions,
        version=version,
        subcategories=subcategories,
        subcategory=subcategory,
        candidates=found[0],
        usd=found[1],
        spent=day.first() or Decimal(0),
        trials=list(trials[:TRIALS_SHOWN]),
    )


def with_runs(flow: str) -> list[Subcategory]:
    """Subcategories with past runs of the flow, the most reviewed first; off the tallies, not off the runs."""
    rows = Tally.objects.filter(flow=flow, day__isnull=True, what__in=("runs", "waiting")).order_by()
    counts = {
        (subcategory_id, what): sum
        for subcategory_id, what, sum in rows.values_list("subcategory_id", "what").annotate(Sum("change"))
        if subcategory_id and sum
    }
    found = Subcategory.objects.filter(pk__in={subcategory_id for subcategory_id, _what in counts})
    return sorted(found, key=lambda one: (-counts.get((one.pk, "runs"), 0), one.name))


def _candidates(
    prompt: Prompt, version: PromptVersion, subcategory: Subcategory, chosen: set[UUID] | None
) -> tuple[list[Candidate], Decimal | None]:
    runs = candidates(prompt.flow, subcategory)
    made = past(run.pk for run in runs)
    runs = [run for run in runs if made[run.pk].draft is not None]
    said = first_reviews_of(runs)
    picked = {run.pk for run in runs[:AT_FIRST]} if chosen is None else chosen
    usd = estimate(version, runs, made).usd
    rows = [Candidate(run, made[run.pk], usd.get(run.pk), said.get(run.pk), run.pk in picked) for run in runs]
    return rows, estimate(version, [run for run in runs if run.pk in picked], made).total
