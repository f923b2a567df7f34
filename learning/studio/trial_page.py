"""What the page of a trial shows: each run as it was made then and now, and the figures of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Sum
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from generation.durations import took
from generation.models import Draft, Judgement, Status, Trial, TrialCall, TriedRun
from generation.money import dollars
from generation.timeline import label as stage_label
from generation.trials.past import Past, past
from generation.trials.stages import judges
from generation.verdicts import ended
from learning.studio.intervals import Rate
from learning.studio.said import accepted, approved_records, first_reviews_of
from review.models import ReviewEvent
from review.pages.comparing import Compared, compared

NAMED = 3  # fields that a list names, before it counts


@dataclass(frozen=True)
class Tried:
    """One run: `one` as it was tried, `past` as it was made. approved: the record that people left."""

    one: TriedRun
    past: Past
    review: ReviewEvent | None
    approved: Draft | None
    duration_ms: int

    @cached_property
    def record(self) -> Mapping[str, Any] | None:
        """As it was made in the trial, the last draft of it."""
        return self.one.drafts[-1]["content"] if self.one.drafts else None

    @cached_property
    def values(self) -> list[Compared]:
        """Field by field, then against now."""
        if self.past.draft is None or self.record is None:
            return []
        return list(compared(self.one.run.flow, self.past.draft.content, self.record))

    @property
    def changed(self) -> list[Compared]:
        return [value for value in self.values if value.change != "same"]

    @property
    def same(self) -> list[Compared]:
        return [value for value in self.values if value.change == "same"]

    @property
    def tokens(self) -> str:
        return f"{self.one.input_tokens + self.one.output_tokens:,}"

    @property
    def names(self) -> str:
        names = list(dict.fromkeys(value.label for value in self.changed))
        more = len(names) - NAMED
        shown = ", ".join(names[:NAMED])
        return _("%(fields)s and %(more)d more") % {"fields": shown, "more": more} if more > 0 else shown

    def unlike(self, content: Mapping[str, Any] | None) -> int | None:
        """Fields in which a record differs from the approved one."""
        if self.approved is None or content is None:
            return None
        found = compared(self.one.run.flow, content, self.approved.content)
        return sum(value.change != "same" for value in found)

    @cached_property
    def unlike_then(self) -> int | None:
        return self.unlike(self.past.draft.content if self.past.draft else None)

    @cached_property
    def unlike_now(self) -> int | None:
        return self.unlike(self.record)

    @property
    def judged_then(self) -> Judgement | None:
        return self.past.judged

    @property
    def judged_now(self) -> Judgement | None:
        """What the judge said of the trial's record; a row that is never stored."""
        if not self.one.judgements:
            return None
        last = self.one.judgements[-1]
        return Judgement(**{name: last[name] for name in ("cycle", "kind", "outcome", "result")})

    @property
    def fixes_then(self) -> int:
        return max(0, len(self.past.judgements) - 1)

    @property
    def fixes_now(self) -> int:
        return max(0, len(self.one.judgements) - 1)

    @property
    def stage(self) -> str:
        return stage_label(self.one.run.flow, self.one.stage) if self.one.stage else ""

    @property
    def why(self) -> str:
        return ended(self.one.error, unjudged=self.one.judge_outcome == "unavailable")


@dataclass(frozen=True)
class Measure:
    """One share of the runs, then and now; low and high of each are drawn."""

    label: str
    then: Rate
    now: Rate
    hint: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure per run, then and now, as people read it, with the lengths of their bars (0 to 100)."""

    label: str
    then: str
    now: str
    then_width: float
    now_width: float


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
    def working(self) -> list[Tried]:
        return [tried for tried in self.runs if tried.one.status not in (Status.QUEUED,) and not tried.one.is_over]

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
    def waits(self) -> str:
        """Why runs wait, where they do."""
        return next(
            (tried.why for tried in self.runs if tried.one.status == Status.QUEUED and tried.one.error), ""
        )

    @property
    def capped(self) -> bool:
        queued = (tried.one for tried in self.runs if tried.one.status == Status.QUEUED)
        return bool(settings.FOLDBACK_SPEND_CAP_USD) and any(
            (one.error or {}).get("code") == "spend_cap" for one in queued
        )

    @property
    def measures(self) -> list[Measure]:
        judged = [tried for tried in self.made if tried.past.judgements and tried.one.judgements]
        found = []
        if judged:
            found.append(
                Measure(
                    _("Passed by the judge at once"),
                    Rate(sum(tried.past.judgements[0].outcome == "passed" for tried in judged), len(judged)),
                    Rate(sum(tried.one.judgements[0]["outcome"] == "passed" for tried in judged), len(judged)),
                )
            )
        if self.judges and (said := [tried for tried in judged if tried.review]):
            found.append(
                Measure(
                    _("The judge said what people said"),
                    Rate(sum(_agrees(tried.judged_then, tried.review) for tried in said), len(said)),
                    Rate(sum(_agrees(tried.judged_now, tried.review) for tried in said), len(said)),
                    _("passed, where the first review approved without a correction; failed, where it did not"),
                )
            )
        like = [tried for tried in self.made if tried.approved is not None]
        if like and not self.judges:
            found.append(
                Measure(
                    _("Records just as people approved them"),
                    Rate(sum(tried.unlike_then == 0 for tried in like), len(like)),
                    Rate(sum(tried.unlike_now == 0 for tried in like), len(like)),
                )
            )
        return found

    @property
    def figures(self) -> list[Figure]:
        """Means of the runs that have calls of then to be set beside."""
        known = [tried for tried in self.made if tried.past.asked]
        if self.judges or not known:
            return []
        n = len(known)
        tokens = [sum(t.past.sums.input_tokens + t.past.sums.output_tokens for t in known) / n]
        tokens.append(sum(tried.one.input_tokens + tried.one.output_tokens for tried in known) / n)
        cost = [sum((tried.past.sums.cost_usd for tried in known), Decimal(0)) / n]
        cost.append(sum((tried.one.cost_usd for tried in known), Decimal(0)) / n)
        length = [sum(t.past.sums.duration_ms for t in known) / n, sum(t.duration_ms for t in known) / n]
        found = [_figure(_("Tokens per run"), tokens, _whole)]
        if any(cost):
            found.append(_figure(_("Cost per run"), [float(c) for c in cost], _money))
        found.append(_figure(_("Time in calls per run"), length, _length))
        like = [tried for tried in known if tried.unlike_now is not None]
        if like:
            fields = [sum(tried.unlike_then or 0 for tried in like), sum(tried.unlike_now or 0 for tried in like)]
            label = _("Fields unlike the approved records")
            found.append(_figure(label, [float(f) for f in fields], _whole))
        return found


def _money(value: float) -> str:
    return dollars(Decimal(value).quantize(Decimal("0.0001")))


def _whole(value: float) -> str:
    return f"{round(value):,}"


def _length(milliseconds: float) -> str:
    return took(timedelta(milliseconds=milliseconds))


def _figure(label: str, values: list[float], words: Callable[[float], str]) -> Figure:
    then, now = values
    most = max(values) or 1
    return Figure(label, words(then), words(now), round(100 * then / most, 1), round(100 * now / most, 1))


def _agrees(judgement: Judgement | None, review: ReviewEvent | None) -> bool:
    if judgement is None or review is None:
        return False
    return judgement.outcome == ("passed" if accepted(review) else "failed")


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
