"""Cohen's kappa agrees with a published example and, to the digit, with statsmodels."""

from random import Random

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from learning.statistics.kappa import Kappa, kappa


def of(*counts: int) -> Kappa:
    found = kappa(*counts)
    assert isinstance(found, Kappa)
    return found


def test_a_published_example() -> None:
    """Sim and Wright (2005), Physical Therapy 85: 22, 2, 4 and 11 give 0.67."""
    assert round(of(22, 2, 4, 11).value, 2) == 0.67


SIZES = [1, 2, 5, 30, 700]
TABLES = [(22, 2, 4, 11), (40, 9, 6, 45), (1, 1, 1, 1), (0, 5, 5, 0), (5, 0, 0, 5), (90, 5, 4, 1), (3, 1, 0, 400)]
RANDOM = Random(4)
TABLES += [
    (RANDOM.choice(SIZES), RANDOM.choice(SIZES), RANDOM.choice(SIZES), RANDOM.choice(SIZES)) for _ in range(40)
]


@pytest.mark.parametrize("table", TABLES)
def test_as_statsmodels_has_it(table: tuple[int, int, int, int]) -> None:
    both, first, second, neither = table
    found = of(both, first, second, neither)
    known = cohens_kappa([[both, first], [second, neither]])
    assert found.value == pytest.approx(known.kappa, abs=1e-12)
    assert found.error == pytest.approx(known.std_kappa, abs=1e-9)
    assert found.low == pytest.approx(max(-1, known.kappa_low), abs=1e-9)
    assert found.high == pytest.approx(min(1, known.kappa_upp), abs=1e-9)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ((0, 0, 0, 0), "nothing"),
        ((7, 2, 0, 0), "first_constant"),  # the judge passed all
        ((0, 0, 3, 4), "first_constant"),
        ((7, 0, 2, 0), "second_constant"),  # people found all good
        ((0, 3, 0, 4), "second_constant"),
        ((9, 0, 0, 0), "first_constant"),
    ],
)
def test_where_there_is_none_a_reason_is_told(table: tuple[int, int, int, int], reason: str) -> None:
    assert kappa(*table) == reason


def test_no_count_is_below_nothing() -> None:
    with pytest.raises(ValueError, match="below 0"):
        kappa(-1, 2, 2, 2)


def test_the_interval_covers_what_is_true() -> None:
    """500 tables of 200 from one population: nineteen of twenty intervals hold its kappa."""
    random, shares = Random(11), (0.55, 0.1, 0.15, 0.2)
    true = of(*(round(1000 * share) for share in shares)).value
    held = 0
    for _ in range(500):
        drawn = random.choices(range(4), shares, k=200)
        found = of(*(drawn.count(cell) for cell in range(4)))
        held += found.low <= true <= found.high
    assert 0.93 <= held / 500 <= 0.97
