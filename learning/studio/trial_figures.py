"""The figures of a trial: shares of its runs with their intervals, and means, then and in the trial."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.utils.translation import gettext as _

from generation.durations import took
from generation.models import Judgement
from generation.money import dollars
from learning.statistics.proportions import Rate
from learning.studio.said import accepted
from learning.studio.trial_run import Tried
from review.models import ReviewEvent


@dataclass(frozen=True)
class Measure:
    """One share of the runs, then and in the trial."""

    label: str
    then: Rate
    now: Rate
    hint: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure per run, then and in the trial, as people read it, with the lengths of their bars (0 to 100)."""

    label: str
    then: str
    now: str
    then_width: float
    now_width: float


def measures(runs: Sequence[Tried], *, judging: bool) -> list[Measure]:
    """runs: those with a record. judging: whether a judge's version is tried, on the records that there were."""
    judged = [tried for tried in runs if tried.past.judgements and tried.one.judgements]
    found = [_at_once(judged)] if judged else []
    if judging:
        said = [tried for tried in judged if tried.review]
        return [*found, _agreeing(said)] if said else found
    like = [tried for tried in runs if tried.approved is not None]
    if like:
        then, now = sum(one.unlike_then == 0 for one in like), sum(one.unlike_now == 0 for one in like)
        label = _("Records just as people approved them")
        found.append(Measure(label, Rate(then, len(like)), Rate(now, len(like))))
    return found


def _at_once(judged: Sequence[Tried]) -> Measure:
    then = sum(tried.past.judgements[0].outcome == "passed" for tried in judged)
    now = sum(tried.one.judgements[0]["outcome"] == "passed" for tried in judged)
    return Measure(_("Passed by the judge at once"), Rate(then, len(judged)), Rate(now, len(judged)))


def _agreeing(said: Sequence[Tried]) -> Measure:
    then = sum(_agrees(tried.judged_then, tried.review) for tried in said)
    now = sum(_agrees(tried.judged_now, tried.review) for tried in said)
    hint = _("passed, where the first review approved without a correction; failed, where it did not")
    return Measure(_("The judge said what people said"), Rate(then, len(said)), Rate(now, len(said)), hint)


def _agrees(judgement: Judgement | None, review: ReviewEvent | None) -> bool:
    if judgement is None or review is None:
        return False
    return judgement.outcome == ("passed" if accepted(review) else "failed")


def figures(runs: Sequence[Tried]) -> list[Figure]:
    """Means of the runs that have calls of then to be set beside; what is nothing on both sides stays away."""
    known = [tried for tried in runs if tried.past.asked]
    like = [tried for tried in runs if tried.unlike_now is not None and tried.unlike_then is not None]
    pairs: list[tuple[str, Sequence[tuple[float, float]], Callable[[float], str]]] = [
        (_("Tokens per run"), [_tokens(tried) for tried in known], lambda mean: f"{round(mean):,}"),
        (_("Cost per run"), [_cost(tried) for tried in known], _money),
        (_("Time in calls per run"), [_time(tried) for tried in known], _length),
        (
            _("Fields unlike the approved record"),
            [(tried.unlike_then or 0, tried.unlike_now or 0) for tried in like],
            lambda mean: f"{mean:.1f}".removesuffix(".0"),
        ),
    ]
    return [_figure(label, values, words) for label, values, words in pairs if any(map(any, values))]


def _tokens(tried: Tried) -> tuple[float, float]:
    then = tried.past.sums
    return then.input_tokens + then.output_tokens, tried.one.input_tokens + tried.one.output_tokens


def _cost(tried: Tried) -> tuple[float, float]:
    return float(tried.past.sums.cost_usd), float(tried.one.cost_usd)


def _time(tried: Tried) -> tuple[float, float]:
    return tried.past.sums.duration_ms, tried.duration_ms


def _money(mean: float) -> str:
    return dollars(Decimal(mean).quantize(Decimal("0.0001")))


def _length(milliseconds: float) -> str:
    return took(timedelta(milliseconds=milliseconds))


def _figure(label: str, values: Sequence[tuple[float, float]], words: Callable[[float], str]) -> Figure:
    then, now = (sum(column) / len(values) for column in zip(*values, strict=True))
    most = max(then, now) or 1
    return Figure(label, words(then), words(now), round(100 * then / most, 1), round(100 * now / most, 1))
