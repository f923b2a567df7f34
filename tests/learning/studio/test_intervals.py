"""Wilson's interval and Newcombe's, by published figures."""

import pytest

from learning.studio.intervals import Rate


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
