"""Judge statistics on public data (HANNA, LLMBar), to the digit of a library and of what was published of it."""

import csv
import json
import os
import re
from pathlib import Path

import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from learning.judging.agreement import Agreement
from learning.judging.counting import BINS, PLACES, Scores
from learning.judging.threshold import Tradeoff

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("FOLDBACK_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
CRITERIA = ("RE", "CH", "EM", "SU", "EG", "CX")
JUDGES = ("Beluga-13B", "ChatGPT", "Llama-13B", "Mistral-7B", "OrcaPlatypus")
PASSES = 3.0  # of five points


def rows(name: str) -> list[dict[str, str]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def agreement(pairs: list[tuple[bool, bool]]) -> Agreement:
    """pairs: the judge passed, the person found good."""
    counts = dict.fromkeys(PLACES, 0)
    for passed, good in pairs:
        counts[f"{'passed' if passed else 'failed'}_{'good' if good else 'bad'}"] += 1
    return Agreement(counts)


def hanna(judge: str, criterion: str) -> list[tuple[bool, bool]]:
    """A judge beside what most of three people say, story by story."""
    people = [f"human{number}_{criterion}" for number in (1, 2, 3)]
    return [
        (float(row[f"{judge}_{criterion}"]) >= PASSES, sum(float(row[one]) >= PASSES for one in people) >= 2)
        for row in rows("hanna/ratings.csv")
    ]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_of_stories(judge: str, criterion: str) -> None:
    pairs = hanna(judge, criterion)
    found = agreement(pairs)
    known = cohens_kappa([[sum(pair == (a, b) for pair in pairs) for b in (True, False)] for a in (True, False)])
    assert found.compared == len(pairs) == 1056 and found.kappa is not None
    assert found.kappa.value == pytest.approx(known.kappa, abs=1e-12)
    assert found.kappa.low == pytest.approx(known.kappa_low, abs=1e-9)
    assert found.kappa.high == pytest.approx(known.kappa_upp, abs=1e-9)
    low, high = proportion_confint(found.agreed.count, found.agreed.of, method="wilson")
    assert (found.agreed.low, found.agreed.high) == pytest.approx((100 * low, 100 * high), abs=1e-3)
    told = re.search(
        rf'"{criterion}": {{.*?"{judge}": \[([\d.]+), ([-\d.]+)', (DATA / "hanna/SOURCE.txt").read_text()
    )
    assert told is not None
    assert round(found.kappa.value, 3) == pytest.approx(float(told[2]), abs=0.0011)
    assert round((found.agreed.percent or 0) / 100, 3) == pytest.approx(float(told[1]), abs=0.0011)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_threshold_of_stories_costs_no_more_than_any_other(judge: str) -> None:
    """Judges' means of six criteria on the scale of a rubric, beside what people passed."""
    good, bad = [0] * BINS, [0] * BINS
    for row in rows("hanna/ratings.csv"):
        mean = sum(float(row[f"{judge}_{criterion}"]) for criterion in CRITERIA) / len(CRITERIA)
        people = [float(row[f"human{number}_{criterion}"]) for number in (1, 2, 3) for criterion in CRITERIA]
        (good if sum(people) / len(people) >= PASSES else bad)[min(100, max(0, int((mean - 1) * 25)))] += 1
    found = Tradeoff(Scores(tuple(good), tuple(bad)), 70)
    assert found.suggested is not None and found.sureness is not None
    assert found.cost(found.suggested) == min(found.cost(at) for at in found.all)
    assert found.cost(found.suggested) <= min(sum(good), sum(bad)), "no worse than passing all or none"
    assert found.sureness.low <= found.suggested.threshold <= found.sureness.high


def test_judges_of_pairs_and_their_order() -> None:
    """Gold 1 is "good". What is published per judge: accuracy in both orders, the same verdict in both."""
    path = DATA / "llmbar/pairs_with_judges.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    stored = [json.loads(line) for line in path.read_text().splitlines()]
    published = {(row["judge|strategy"], row["subset"]): row for row in rows("llmbar/judge_accuracy.csv")}
    compared = 0
    for (judge, subset), row in published.items():
        of = [
            (pair["judges"][judge], int(pair["gold"]))
            for pair in stored
            if judge in pair["judges"] and pair["subset"].startswith(subset)
        ]
        clear = [(said, gold) for said, gold in of if set(said) <= {"1", "2", 1, 2}]
        if len(clear) < len(of) or len(of) != int(row["n"]):
            continue  # verdicts that are none: a judge that could not judge is neither
        found = agreement([(int(one) == 1, gold == 1) for said, gold in of for one in said])
        assert (found.agreed.percent or 0) / 100 == pytest.approx(
            float(row["accuracy_vs_human_both_orders"]), abs=0.0006
        )
        orders = agreement([(int(said[0]) == 1, int(said[1]) == 1) for said, _gold in of])
        assert (orders.agreed.percent or 0) / 100 == pytest.approx(
            float(row["same_verdict_after_swap"]), abs=0.0006
        )
        known = cohens_kappa(
            [
                [orders.counts["passed_good"], orders.counts["passed_bad"]],
                [orders.counts["failed_good"], orders.counts["failed_bad"]],
            ]
        )
        assert orders.kappa is not None and orders.kappa.value == pytest.approx(known.kappa, abs=1e-12)
        compared += 1
    assert compared >= 40, f"{compared} judges were compared"
