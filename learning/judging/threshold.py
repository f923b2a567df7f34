"""What another threshold of a rubric would have let pass and held back; one is suggested, and how surely."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import exp, sqrt
from random import Random

from learning.judging.counting import BINS, Scores

FEWEST = 10  # good ones, and bad ones: with fewer of either a threshold would be guessed
REPEATS = 200
SEED = 20  # fixed: the same counts make the same page
COMMON = 30.0  # from here on a Poisson count is drawn from the normal distribution


@dataclass(frozen=True)
class At:
    """A threshold in hundredths: bad ones reach it and pass, good ones fall short and are held back."""

    threshold: int
    passed_bad: int
    held_good: int
    bad: int
    good: int

    @property
    def share_passed(self) -> float:
        """Of the bad ones, in per cent."""
        return 100 * self.passed_bad / self.bad if self.bad else 0.0

    @property
    def share_held(self) -> float:
        """Of the good ones, in per cent."""
        return 100 * self.held_good / self.good if self.good else 0.0


@dataclass(frozen=True)
class Sureness:
    """Of the same number of records drawn again and again: where the best threshold lay in nine of ten draws
    (hundredths), and in which share of them (per cent) the suggested one was better than that in force."""

    low: int
    high: int
    better: float


@dataclass(frozen=True)
class Tradeoff:
    """in_force: hundredths. ratio: what a bad one that passes costs, a good one that is held back costing 1.
    is_one: whether in_force held for all of them; where others held for some, no other is suggested."""

    scores: Scores
    in_force: int
    ratio: float = 1.0
    is_one: bool = True

    @cached_property
    def all(self) -> list[At]:
        """Of 0.00 to 1.00."""
        good, bad = sum(self.scores.good), sum(self.scores.bad)
        below = zip(_below(self.scores.good), _below(self.scores.bad), strict=True)
        return [At(at, bad - short_bad, short_good, bad, good) for at, (short_good, short_bad) in enumerate(below)]

    @property
    def now(self) -> At:
        return self.all[self.in_force]

    @property
    def is_enough(self) -> bool:
        return min(sum(self.scores.good), sum(self.scores.bad)) >= FEWEST

    def cost(self, at: At) -> float:
        return self.ratio * at.passed_bad + at.held_good

    @cached_property
    def suggested(self) -> At | None:
        """The one that would have cost least; None where there is too little to say, or not one to better."""
        if not (self.is_enough and self.is_one):
            return None
        return self.all[cheapest(costs_of(self.scores.good, self.scores.bad, self.ratio), self.in_force)]

    @property
    def is_as_set(self) -> bool:
        return self.suggested is not None and self.suggested.threshold == self.in_force

    @property
    def sureness(self) -> Sureness | None:
        if self.suggested is None:
            return None
        return how_sure(self.scores, self.in_force, self.ratio, self.suggested.threshold)


@lru_cache(maxsize=256)
def how_sure(scores: Scores, in_force: int, ratio: float, suggested: int) -> Sureness:
    """By a bootstrap of the counts (Efron 1979): each is drawn anew with itself as its mean.

    Kept, since it takes a tenth of a second, however many records there are.
    """
    random, found, better = Random(SEED), [], 0  # noqa: S311 - a statistic, no secret
    for _repeat in range(REPEATS):
        good = [drawn(random, count) for count in scores.good]
        costs = costs_of(good, [drawn(random, count) for count in scores.bad], ratio)
        found.append(cheapest(costs, in_force))
        better += costs[suggested] < costs[in_force]
    found.sort()
    return Sureness(found[REPEATS // 20], found[-1 - REPEATS // 20], 100 * better / REPEATS)


def cheapest(costs: Sequence[float], in_force: int) -> int:
    """Where many cost the same: that in force, else the middle of those beside the nearest."""
    least = min(costs)
    if costs[in_force] == least:
        return in_force
    low = high = min((at for at in range(BINS) if costs[at] == least), key=lambda at: abs(at - in_force))
    while low > 0 and costs[low - 1] == least:
        low -= 1
    while high < BINS - 1 and costs[high + 1] == least:
        high += 1
    return (low + high) // 2


def costs_of(good: Sequence[int], bad: Sequence[int], ratio: float) -> list[float]:
    """Of every threshold: the lowest lets all bad ones pass; each next one holds back those of one mean more."""
    steps = (held - ratio * caught for held, caught in zip(good[:-1], bad[:-1], strict=True))
    return list(accumulate(steps, initial=ratio * sum(bad)))


def _below(counts: Sequence[int]) -> list[int]:
    """How many lie below each threshold."""
    return list(accumulate(counts[:-1], initial=0))


def drawn(random: Random, mean: int) -> int:
    """A Poisson count; of many the normal distribution is near enough."""
    if not mean:
        return 0
    if mean >= COMMON:
        return max(0, round(random.gauss(mean, sqrt(mean))))
    limit, product, count = exp(-mean), random.random(), 0
    while product > limit:
        product *= random.random()
        count += 1
    return count
