"""What thresholds would have let pass and held back, and which one is suggested, from counts alone."""

from random import Random
from statistics import fmean

import pytest

from learning.judging.counting import BINS, Scores
from learning.judging.threshold import At, Tradeoff, cheapest, costs_of, drawn


def scores(good: dict[int, int], bad: dict[int, int]) -> Scores:
    return Scores(*(tuple(counts.get(at, 0) for at in range(BINS)) for counts in (good, bad)))


APART = scores({80: 20, 90: 10}, {50: 10, 60: 20})
TORN = scores({60: 10, 80: 10}, {50: 10, 70: 10})


def test_each_threshold_cuts_at_its_own_mean() -> None:
    found = Tradeoff(APART, 70).all
    assert len(found) == 101
    assert found[0] == At(0, passed_bad=30, held_good=0, bad=30, good=30)
    assert [(at.passed_bad, at.held_good) for at in (found[50], found[51], found[60], found[61])] == [
        (30, 0), (20, 0), (20, 0), (0, 0),
    ]  # fmt: skip
    assert (found[80].held_good, found[81].held_good, found[100].held_good) == (0, 20, 30)
    assert round(found[81].share_held) == 67 and round(found[60].share_passed) == 67


@pytest.mark.parametrize(
    ("counts", "in_force", "ratio", "suggested"),
    [
        (APART, 70, 1, 70),  # as good as any: no move
        (APART, 55, 1, 70),  # the middle of the gap from 0.61 to 0.80
        (APART, 95, 1, 70),
        (TORN, 65, 1, 55),  # 0.51–0.60 and 0.71–0.80 cost 10 each: the middle of the nearer
        (TORN, 70, 1, 75),
        (TORN, 55, 1, 55),
        (TORN, 55, 5, 75),  # bad ones weigh more: a stricter one
        (TORN, 75, 0.5, 55),
        (scores({10: 10}, {90: 10}), 50, 1, 5),  # a judge the wrong way round: let all pass
    ],
)
def test_the_cheapest_is_suggested(counts: Scores, in_force: int, ratio: float, suggested: int) -> None:
    found = Tradeoff(counts, in_force, ratio)
    assert found.suggested is not None and found.suggested.threshold == suggested
    assert found.is_as_set is (suggested == in_force)
    assert found.cost(found.suggested) == min(found.cost(at) for at in found.all)


@pytest.mark.parametrize(("good", "bad"), [(0, 0), (9, 100), (100, 9)])
def test_too_few_say_nothing(good: int, bad: int) -> None:
    found = Tradeoff(scores({80: good}, {60: bad}), 70)
    assert not found.is_enough and found.suggested is None and found.sureness is None


def test_the_best_is_that_of_a_search_by_hand() -> None:
    """Against counting each threshold over the single records."""
    chance = Random(2)
    for _ in range(30):
        good, bad = ([chance.randrange(BINS) for _ in range(40)] for _ in range(2))
        counts = scores({at: good.count(at) for at in good}, {at: bad.count(at) for at in bad})
        ratio = chance.choice([0.5, 1, 2, 5])
        costs = [ratio * sum(at >= t for at in bad) + sum(at < t for at in good) for t in range(BINS)]
        found = costs_of(counts.good, counts.bad, ratio)
        assert found == costs and costs[cheapest(found, 70)] == min(costs)


def test_how_sure_is_the_same_for_the_same_counts_and_grows_with_them() -> None:
    chance = Random(5)

    def drawn_from(runs: int) -> Scores:
        good = [min(100, max(0, round(chance.gauss(78, 8)))) for _ in range(runs)]
        bad = [min(100, max(0, round(chance.gauss(60, 8)))) for _ in range(runs)]
        return scores({at: good.count(at) for at in good}, {at: bad.count(at) for at in bad})

    few, many = (Tradeoff(drawn_from(runs), 50) for runs in (25, 2500))
    assert few.sureness == Tradeoff(few.scores, 50).sureness
    assert few.sureness and many.sureness and many.suggested
    assert many.sureness.high - many.sureness.low < few.sureness.high - few.sureness.low
    assert many.sureness.better == 100 and 67 <= many.suggested.threshold <= 71  # 0.69 is where both are as likely
    assert many.sureness.low <= many.suggested.threshold <= many.sureness.high


@pytest.mark.parametrize("mean", [0, 1, 4, 29, 30, 500])
def test_counts_drawn_anew_have_their_mean_and_spread(mean: int) -> None:
    random = Random(7)
    found = [drawn(random, mean) for _ in range(4000)]
    assert fmean(found) == pytest.approx(mean, rel=0.05)
    assert fmean((one - mean) ** 2 for one in found) == pytest.approx(mean, rel=0.1)
