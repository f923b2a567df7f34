"""Krippendorff's alpha for nominal data, from counts of patterns, with a bootstrap interval.

A pattern tells of one unit (a record that several people reviewed) how many said each value: (3, 1) is three for
the first value and one for the second. Who said nothing is not in it: unset is missing, never a value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from random import Random

Pattern = tuple[int, ...]
Patterns = Mapping[Pattern, int]  # pattern → units that have it

REPEATS = 1_000
LEVEL = 0.95
KNOWN = 0.9  # of the repeats must have an alpha at all, or nothing is said of how sure it is
SEED = 20_150
_EXACT = 60  # a variance from which on a binomial is drawn as a normal: its error is far below the bootstrap's


@dataclass(frozen=True)
class Alpha:
    """value: None where all said the same, or too few said anything: there is nothing to agree on by chance.

    low, high: what it may be at 95 %, None where too little was said. agreed: the share of pairs of people that
    said the same, 0 to 1. units: with two values or more; values: said in them.
    """

    units: int
    values: int
    value: float | None
    agreed: float | None
    low: float | None
    high: float | None


def alpha(patterns: Patterns) -> Alpha:
    """Krippendorff, K. (2011), Computing Krippendorff's Alpha-Reliability; the interval resamples units."""
    return _alpha(tuple(sorted((pattern, units) for pattern, units in patterns.items() if units > 0)))


@lru_cache(maxsize=512)  # a page is looked at more often than its counts change
def _alpha(patterns: tuple[tuple[Pattern, int], ...]) -> Alpha:
    pairable = [(pattern, units) for pattern, units in patterns if sum(pattern) > 1]
    if not pairable:
        return Alpha(0, 0, None, None, None, None)
    parts = [_Part.of(pattern) for pattern, _units in pairable]
    units = [count for _pattern, count in pairable]
    low, high = _interval(parts, units)
    totals = _totals(parts, units)
    pairs = sum(sum(pattern) * count for pattern, count in pairable)
    agreed = 1 - sum(part.differing * count for part, count in zip(parts, units, strict=True)) / pairs
    return Alpha(sum(units), round(sum(totals)), _value(parts, units), agreed, low, high)


@dataclass(frozen=True)
class _Part:
    """What one unit of a pattern adds: ordered pairs that differ, each person's share of 1, and the values."""

    differing: float
    values: Pattern

    @classmethod
    def of(cls, pattern: Pattern) -> "_Part":
        people = sum(pattern)
        differing = people * people - sum(count * count for count in pattern)
        return cls(differing / (people - 1), pattern)


def _totals(parts: list[_Part], units: list[int]) -> list[int]:
    width = max(len(part.values) for part in parts)
    totals = [0] * width
    for part, count in zip(parts, units, strict=True):
        for place, value in enumerate(part.values):
            totals[place] += value * count
    return totals


def _value(parts: list[_Part], units: list[int]) -> float | None:
    """1 − observed ÷ expected disagreement; None where no other value was said, so that none is expected."""
    totals = _totals(parts, units)
    said = sum(totals)
    expected = said * said - sum(total * total for total in totals)
    if not expected:
        return None
    observed = sum(part.differing * count for part, count in zip(parts, units, strict=True))
    return 1 - (said - 1) * observed / expected


def _interval(parts: list[_Part], units: list[int]) -> tuple[float | None, float | None]:
    """Percentiles of alpha over units drawn anew; the same counts give the same interval.

    Where nobody differed, no draw differs either: then the share of units that may differ bounds alpha (Clopper
    and Pearson 1934; of none in n at 95 % it is 1 − 0.025^(1/n)).
    """
    found = _value(parts, units)
    if sum(units) < 2 or found is None:
        return None, None
    if not any(part.differing for part in parts):
        totals, said = _totals(parts, units), sum(_totals(parts, units))
        by_chance = 1 - sum(total * (total - 1) for total in totals) / (said * (said - 1))
        return 1 - (1 - ((1 - LEVEL) / 2) ** (1 / sum(units))) / by_chance, 1.0
    random = Random(SEED)  # noqa: S311 - a bootstrap
    drawn = (_value(parts, _multinomial(random, units)) for _ in range(REPEATS))
    values = sorted(value for value in drawn if value is not None)
    if len(values) < KNOWN * REPEATS:
        return None, None
    tail = (1 - LEVEL) / 2 * (len(values) - 1)
    return _at(values, tail), _at(values, len(values) - 1 - tail)


def _at(values: list[float], place: float) -> float:
    """Between two neighbours in a sorted list, as the quantile's usual definition has it."""
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def _multinomial(random: Random, units: list[int]) -> list[int]:
    """As many units as there are, each of any pattern as often as it was seen."""
    left, of, found = sum(units), sum(units), []
    for count in units:
        drawn = left if count == of else _binomial(random, left, count / of)
        found.append(drawn)
        left -= drawn
        of -= count
    return found


def _binomial(random: Random, n: int, p: float) -> int:
    """Inversion where that is short (Devroye 1986, X.4.1), else a rounded normal."""
    if p > 0.5:
        return n - _binomial(random, n, 1 - p)
    if n * p * (1 - p) > _EXACT:
        drawn = round(random.gauss(n * p, sqrt(n * p * (1 - p))))
        return min(n, max(0, drawn))
    odds, chance, at = p / (1 - p), (1 - p) ** n, 0
    rest = random.random()
    while rest > chance and at < n:
        rest -= chance
        at += 1
        chance *= odds * (n - at + 1) / at
    return at
