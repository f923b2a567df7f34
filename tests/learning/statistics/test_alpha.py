"""Krippendorff's alpha: to the digit what a library says, and an interval that covers what it should."""

from collections import Counter
from random import Random

import krippendorff
import numpy
import pytest

from learning.statistics.alpha import REPEATS, Alpha, _binomial, alpha

Said = list[list[int | None]]  # per unit, what each person said


def patterns(said: Said, values: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sum(one == value for one in unit) for value in range(values)) for unit in said)


def by_library(said: Said, values: int) -> float:
    width = max(len(unit) for unit in said)
    wide = [[*unit, *[None] * (width - len(unit))] for unit in said]
    rows = [[numpy.nan if one is None else one for one in unit] for unit in wide]
    matrix = numpy.array(rows, dtype=float).T
    found = krippendorff.alpha(
        reliability_data=matrix, value_domain=list(range(values)), level_of_measurement="nominal"
    )
    return float(found)


def unit(random: Random, people: int, values: int, agreeing: float, unset: float) -> list[int | None]:
    truth = random.randrange(values)
    return [
        None if random.random() < unset else truth if random.random() < agreeing else random.randrange(values)
        for _ in range(people)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_it_is_what_the_library_says(seed: int) -> None:
    random = Random(seed)
    values, unset = random.choice([2, 3]), random.choice([0, 0.1, 0.5])
    people = random.choice([(2,), (2, 3), (2, 3, 4, 7)])
    said = [
        unit(random, random.choice(people), values, random.choice([0, 0.5, 0.95]), unset)
        for _ in range(random.choice([8, 30, 300]))
    ]
    found = alpha(patterns(said, values)).value
    assert found is not None
    assert found == pytest.approx(by_library(said, values), abs=1e-12)


def test_the_published_example() -> None:
    """Krippendorff (2011), section C: nominal data, any number of observers, missing values: alpha 0.743."""
    data = [
        (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
        (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
    ]
    said: Said = [[None if one is None else one - 1 for one in unit] for unit in zip(*data, strict=True)]
    found = alpha(patterns(said, 5))
    assert found.value == pytest.approx(0.743, abs=0.0005)
    assert (found.units, found.values) == (11, 40)


@pytest.mark.parametrize(
    ("counts", "value", "agreed"),
    [
        ({}, None, None),
        ({(1, 0): 5, (0, 1): 3, (0, 0): 2}, None, None),  # nobody said it together with another
        ({(2, 0): 10}, None, 1.0),  # all the same: nothing could have differed by chance
        ({(2, 0): 5, (0, 2): 5}, 1.0, 1.0),
        ({(1, 1): 10}, -0.9, 0.0),  # always against each other
    ],
)
def test_the_ends(counts: dict[tuple[int, ...], int], value: float | None, agreed: float | None) -> None:
    found = alpha(counts)
    assert found.value == (None if value is None else pytest.approx(value))
    assert found.agreed == agreed


def test_one_that_differs_of_few_is_told_without_an_interval() -> None:
    """A third of the samples of it hold no second value at all."""
    found = alpha({(2, 0): 9, (1, 1): 1})
    assert found.value == pytest.approx(0)
    assert found.low is None and found.high is None


def test_none_that_differs_of_few_is_no_proof() -> None:
    few, many = (alpha({(2, 0): n, (0, 2): n}) for n in (5, 500))
    assert few.value == many.value == few.high == many.high == 1
    assert few.low == pytest.approx(
        1 - 0.3085 / (10 / 19), abs=0.001
    )  # Clopper and Pearson: 0 of 10 may be 30.85 %
    assert many.low is not None and many.low > 0.99


def test_the_same_counts_in_any_order_give_the_same_interval() -> None:
    counts: dict[tuple[int, ...], int] = {(2, 0): 40, (1, 1): 9, (0, 2): 12}
    assert alpha(counts) == alpha(dict(reversed(counts.items())))
    assert alpha(counts) == alpha(counts | {(3, 0): 0})


def test_the_interval_narrows_with_more_units() -> None:
    def width(found: Alpha) -> float:
        assert found.low is not None and found.high is not None
        return found.high - found.low

    few, many = (alpha({(2, 0): 20 * n, (1, 1): 5 * n, (0, 2): 8 * n}) for n in (1, 1000))
    assert few.value == pytest.approx(many.value, abs=0.02)
    assert width(few) > 20 * width(many) > 0


@pytest.mark.parametrize(("n", "p"), [(3, 0.5), (40, 0.03), (40, 0.97), (200, 0.4), (1_000_000, 0.3)])
def test_binomials_have_their_mean_and_spread(n: int, p: float) -> None:
    random = Random(7)
    drawn = numpy.array([_binomial(random, n, p) for _ in range(20_000)])
    assert drawn.min() >= 0 and drawn.max() <= n
    spread = (n * p * (1 - p)) ** 0.5
    assert abs(drawn.mean() - n * p) < 4 * spread / 20_000**0.5
    assert drawn.std() == pytest.approx(spread, rel=0.03)


def test_the_interval_covers_the_truth() -> None:
    """200 samples of 150 units from a known chance of each pattern; its alpha from the very chances."""
    chances = {(2, 0): 0.62, (1, 1): 0.13, (0, 2): 0.25}
    truth = alpha({pattern: round(chance * 1e9) for pattern, chance in chances.items()}).value
    generator, covered = numpy.random.default_rng(11), 0
    for _ in range(200):
        drawn = generator.multinomial(150, list(chances.values()))
        found = alpha(dict(zip(chances, map(int, drawn), strict=True)))
        assert found.low is not None and found.high is not None and truth is not None
        covered += found.low <= truth <= found.high
    assert covered >= 182, "95 % of 200 is 190; 182 is three standard errors below"
    assert REPEATS == 1_000
