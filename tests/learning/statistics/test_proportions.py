"""Wilson's interval and Newcombe's, by published figures."""

from itertools import product

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from learning.statistics.proportions import Rate


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        (81, 263, 25.5, 36.6),  # Newcombe 1998, table I, method 3
        (15, 148, 6.2, 16.1),
        (0, 20, 0.0, 16.1),
        (1, 29, 0.6, 17.2),
        (0, 0, 0.0, 100.0),
        (10, 10, 72.2, 100.0),
    ],
)
def test_a_share_and_what_it_may_be(count: int, of: int, low: float, high: float) -> None:
    rate = Rate(count, of)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=0.06)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        (Rate(56, 70), Rate(48, 80), 5.24, 33.39),  # Newcombe 1998, table II, method 10
        (Rate(9, 10), Rate(3, 10), 17.05, 80.90),
        (Rate(0, 10), Rate(0, 20), -16.11, 27.75),
        (Rate(0, 0), Rate(3, 10), -100, 100),
    ],
)
def test_the_difference_of_two(one: Rate, other: Rate, low: float, high: float) -> None:
    assert one.minus(other) == pytest.approx((low, high), abs=0.02)


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (3, 10), (57, 60), (855, 900), (2, 1_000)])
def test_a_share_as_statsmodels_has_it(count: int, of: int) -> None:
    low, high = proportion_confint(count, of, method="wilson")
    assert (Rate(count, of).low, Rate(count, of).high) == pytest.approx((100 * low, 100 * high), abs=1e-9)


def test_differences_as_statsmodels_has_them() -> None:
    for one, other in product([(0, 12), (5, 12), (12, 12), (855, 900)], [(0, 7), (3, 7), (60, 100)]):
        low, high = confint_proportions_2indep(*one, *other, method="newcomb", compare="diff")
        assert Rate(*one).minus(Rate(*other)) == pytest.approx((100 * low, 100 * high), abs=1e-9)
