"""The tables of the pages of judges, as CSV."""

from typing import Any

from learning.judging.agreement import Agreement
from learning.judging.counting import PLACES, added
from learning.judging.missed import MissedPage
from learning.judging.page import Page
from learning.judging.rubric import RubricPage
from review.exports.columns import Column, Row, columns

CRITERIA = (
    *columns(flow="text", criterion="text", compared_with="text", prompt_version="integer", model="text",
             compared="integer"),
    *(Column(place, "integer") for place in PLACES),
    *columns(people_found_bad="number", judge_failed="number", agreed="number", passing_all_agreed="number",
             bad_caught="number", good_held_back="number", kappa="number", kappa_standard_error="number",
             kappa_low="number", kappa_high="number", no_kappa="text"),
)  # fmt: skip
THRESHOLDS = columns(
    threshold="number", good="integer", bad="integer", good_with_this_mean="integer", bad_with_this_mean="integer",
    bad_passed="integer", good_held_back="integer", cost="number", in_force="boolean", suggested="boolean",
)  # fmt: skip
RUNS = columns(
    run="text", title="text", subcategory="text", flow="text", criterion="text", judge_passed="boolean",
    person_found_good="boolean", model="text", weighted_mean="number", reviewed_at="time",
)  # fmt: skip


def criteria(page: Page) -> list[Row]:
    """Every criterion of all judges together (no version, no model), then of each."""
    rows: list[Row] = []
    whose: list[tuple[int | None, str | None, list[Any]]] = [(None, None, [one.counts for one in page.judges])]
    whose += [(one.number, one.by.model, [one.counts]) for one in page.judges]
    names = {line.criterion: line.said for line in page.lines}
    for number, model, counts in whose:
        for ask in page.asks:
            found = Agreement(added(one[ask.criterion] for one in counts if ask.criterion in one))
            if found.reviews:
                said = {"flow": page.flow, "criterion": ask.criterion, "compared_with": names.get(ask.criterion)}
                rows.append(said | {"prompt_version": number, "model": model} | _figures(found))
    return rows


def _figures(found: Agreement) -> Row:
    kappa = found.kappa
    return {
        "compared": found.compared, **found.counts, "people_found_bad": _share(found.base.percent),
        "judge_failed": _share(found.failed.percent), "agreed": _share(found.agreed.percent),
        "passing_all_agreed": _share(found.always.percent), "bad_caught": _share(found.caught.percent),
        "good_held_back": _share(found.held.percent), "kappa": kappa and round(kappa.value, 6),
        "kappa_standard_error": kappa and round(kappa.error, 6), "kappa_low": kappa and round(kappa.low, 6),
        "kappa_high": kappa and round(kappa.high, 6), "no_kappa": str(found.reason),
    }  # fmt: skip


def _share(percent: float | None) -> float | None:
    """From 0 to 1."""
    return None if percent is None else round(percent / 100, 6)


def thresholds(page: RubricPage) -> list[Row]:
    tradeoff = page.tradeoff
    return [
            {
                "threshold": at.threshold / 100, "good": at.good, "bad": at.bad,
                "good_with_this_mean": tradeoff.scores.good[at.threshold],
                "bad_with_this_mean": tradeoff.scores.bad[at.threshold],
                "bad_passed": at.passed_bad, "good_held_back": at.held_good, "cost": tradeoff.cost(at),
                "in_force": tradeoff.is_one and at == tradeoff.now, "suggested": at == tradeoff.suggested,
            }
            for at in tradeoff.all
    ]  # fmt: skip


def runs(page: MissedPage) -> list[Row]:
    """The rows of the page in view."""
    return [
            {
                "run": str(row.run.pk), "title": row.run.title, "flow": row.run.flow,
                "subcategory": row.run.subcategory and row.run.subcategory.slug, "criterion": page.criterion,
                "judge_passed": row.fact.passed, "person_found_good": row.fact.good, "model": row.fact.model,
                "weighted_mean": None if row.fact.score is None else row.fact.score / 100,
                "reviewed_at": row.fact.reviewed_at,
            }
            for row in page.rows
    ]  # fmt: skip
