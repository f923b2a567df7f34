"""The e-value and its interval: by brute force, and in simulation looked at every day."""

import os
from itertools import product
from math import exp, inf, log
from random import Random

import numpy as np
import pytest
from scipy.special import betaln

from learning.statistics.sequential import ALPHA, Arm, discoveries, e_value, interval, log_e, reviews_until_seen

LONG = os.environ.get("STUDY") == "long"
REPEATS = 1_000 if LONG else 300
SEED = 20_240_817
CASES = [(9, 10, 3, 10), (57, 60, 24, 40), (0, 5, 0, 30), (5, 5, 0, 5), (855, 900, 60, 100), (3, 200, 0, 12)]


def likelihood(count: int, of: int, shares: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(count > 0, count * np.log(shares), 0)
        miss = np.where(of - count > 0, (of - count) * np.log1p(-shares), 0)
    return np.asarray(hit + miss)


def mixture(count: int, of: int) -> float:
    return float(betaln(count + 0.5, of - count + 0.5) - betaln(0.5, 0.5))


@pytest.mark.parametrize(("a", "n", "b", "m"), CASES)
def test_the_e_value_is_what_a_fine_grid_gives(a: int, n: int, b: int, m: int) -> None:
    grid = np.linspace(0, 1, 200_001)
    best = (likelihood(a, n, grid) + likelihood(b, m, grid)).max()
    assert log_e(Arm(a, n), Arm(b, m)) == pytest.approx(mixture(a, n) + mixture(b, m) - best, abs=1e-6)


@pytest.mark.parametrize(("a", "n", "b", "m"), CASES)
def test_the_interval_is_what_a_fine_grid_gives(a: int, n: int, b: int, m: int) -> None:
    shares = np.linspace(0, 1, 2_001)
    one, other = likelihood(a, n, shares), likelihood(b, m, shares)
    least = mixture(a, n) + mixture(b, m) + log(ALPHA)
    kept = []
    for steps in range(-2_000, 2_001):  # differences of a 2,000th
        here = one[max(0, steps) : 2_001 + min(0, steps)]
        there = other[max(0, -steps) : 2_001 - max(0, steps)]
        if (here + there).max() > least:
            kept.append(steps / 2_000)
    assert interval(Arm(a, n), Arm(b, m)) == pytest.approx((min(kept), max(kept)), abs=0.0011)


def test_zero_is_outside_just_where_the_test_refuses_it() -> None:
    for a, b in product(range(0, 31, 3), range(0, 13, 2)):
        one, other = Arm(a, 30), Arm(b, 12)
        low, high = interval(one, other)
        assert (e_value(one, other) >= 1 / ALPHA) is (low > 0 or high < 0)


def test_of_nothing_nothing_is_known() -> None:
    assert log_e(Arm(0, 0), Arm(0, 0)) == 0
    assert log_e(Arm(7, 10), Arm(0, 0)) <= 0
    assert interval(Arm(7, 10), Arm(0, 0)) == interval(Arm(0, 0), Arm(7, 10)) == (-1, 1)


def test_an_e_value_is_one_on_average_at_most() -> None:
    """Exactly, over all outcomes of a small study."""
    for share in (0.05, 0.3, 0.5, 0.9):
        outcomes = product(product((0, 1), repeat=7), product((0, 1), repeat=3))
        mean = sum(
            e_value(Arm(sum(one), 7), Arm(sum(other), 3))
            * share ** (sum(one) + sum(other))
            * (1 - share) ** (10 - sum(one) - sum(other))
            for one, other in outcomes
        )
        assert mean <= 1


class Study:
    """Reviews that come in one after the other, a tenth of them of the holdout; looked at after every `day`."""

    def __init__(self, seed: int, guided: float, control: float, drift: float = 0, holdout: float = 0.1) -> None:
        self.random, self.rates, self.drift, self.holdout = Random(seed), (guided, control), drift, holdout

    def looks(self, reviews: int, day: int = 10) -> list[tuple[Arm, Arm]]:
        counts, found = [[0, 0], [0, 0]], []
        for number in range(reviews):
            arm = int(self.random.random() < self.holdout)
            later = self.drift * (number >= reviews // 2)
            counts[arm][0] += self.random.random() < self.rates[arm] + later
            counts[arm][1] += 1
            if number % day == day - 1:
                found.append((Arm(*counts[0]), Arm(*counts[1])))
        return found


@pytest.mark.parametrize(
    ("rate", "drift", "holdout"), [(0.6, 0, 0.1), (0.95, 0, 0.1), (0.5, 0, 0.5), (0.3, 0.5, 0.1)]
)
def test_without_a_difference_daily_looks_find_one_at_most_at_the_level(
    rate: float, drift: float, holdout: float
) -> None:
    """A/A. Also where both shares rise alike in the middle: arms are drawn by lot at all times."""
    refused = sum(
        any(
            log_e(one, other) >= -log(ALPHA)
            for one, other in Study(SEED + n, rate, rate, drift, holdout).looks(1_000)
        )
        for n in range(REPEATS)
    )
    assert refused <= ALPHA * REPEATS


@pytest.mark.parametrize(("guided", "control"), [(0.95, 0.6), (0.7, 0.6), (0.5, 0.5)])
def test_the_interval_holds_the_difference_at_all_looks_at_once(guided: float, control: float) -> None:
    missed = 0
    for n in range(REPEATS // 3):
        looks = Study(SEED + n, guided, control).looks(1_000, day=50)
        bounds = [interval(one, other) for one, other in looks]
        missed += not all(low <= guided - control <= high for low, high in bounds)
    assert missed <= ALPHA * (REPEATS // 3)


def test_how_soon_forty_per_cent_that_fall_to_five_are_seen() -> None:
    waits = []
    for n in range(REPEATS // 3):
        looks = Study(SEED + n, 0.95, 0.6).looks(1_000)
        seen = [number for number, (one, other) in enumerate(looks, 1) if log_e(one, other) >= -log(ALPHA)]
        waits.append(10 * seen[0] if seen else inf)
    waits.sort()
    assert waits[len(waits) // 2] <= 330  # half of them; about 25 runs of the holdout
    assert waits[int(0.9 * len(waits))] <= 700
    foreseen = reviews_until_seen(Arm(0, 0), Arm(0, 0), (0.95, 0.6), 0.1)
    assert 150 <= foreseen <= 350


def test_what_is_foreseen_is_enough_and_one_step_less_is_not() -> None:
    one, other = Arm(57, 60), Arm(4, 7)
    more = reviews_until_seen(one, other, (one.share, other.share), 0.1)

    def after(more: float) -> float:
        return exp(log_e(one.plus(0.9 * more, one.share), other.plus(0.1 * more, other.share)))

    assert after(more) >= 1 / ALPHA > after(more - 1)
    assert reviews_until_seen(one, other, (0.5, 0.5), 0.1) == inf


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([], []),
        ([19.9], [False]),
        ([20.0], [True]),
        ([20.0, 1.0], [False, False]),  # the best of two must reach 40
        ([20.0, 20.0], [True, True]),
        ([1.0, 60.0, 31.0, 2.0], [False, False, False, False]),
        ([1.0, 60.0, 41.0, 2.0], [False, True, True, False]),
    ],
)
def test_of_many_tests_those_that_count(values: list[float], kept: list[bool]) -> None:
    assert discoveries([log(value) + 1e-12 for value in values]) == kept


def test_of_many_true_hypotheses_any_counts_seldom() -> None:
    wrong = 0
    for n in range(REPEATS // 3):
        ends = [Study(SEED + 100 * n + part, 0.6, 0.6).looks(200, day=200)[-1] for part in range(12)]
        wrong += any(discoveries([log_e(one, other) for one, other in ends]))
    assert wrong <= ALPHA * (REPEATS // 3)
