"""What another threshold of a rubric would have let pass and held back; one is suggested, and how surely."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp, sqrt
from random import Random

from learning.judging.counting import BINS, Scores

FEWEST = 10  # good ones, and bad ones: with fewer of either a threshold would be guessed
REPEATS = 300
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
    """in_force: hundredths. ratio: what a bad one that passes costs, a good one that is held back costing 1."""

    scores: Scores
    in_force: int
    ratio: float = 1.0

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
        """The one that would have cost least; None where there is too little to say."""
        if not self.is_enough:
            return None
        return self.all[best(self.scores.good, self.scores.bad, self.in_force, self.ratio)]

    @property
    def is_as_set(self) -> bool:
        return self.suggested is not None and self.suggested.threshold == self.in_force

    @cached_property
    def sureness(self) -> Sureness | None:
        """By a bootstrap of the counts (Efron 1979): each is drawn anew with itself as its mean."""
        if self.suggested is None:
            return None
        random, found, better = Random(SEED), [], 0  # noqa: S311 - a statistic, no secret
        for _repeat in range(REPEATS):
            good = [drawn(random, count) for count in self.scores.good]
            bad = [drawn(random, count) for count in self.scores.bad]
            found.append(best(good, bad, self.in_force, self.ratio))
            costs = _costs(good, bad, self.ratio)
            better += costs[self.suggested.threshold] < costs[self.in_force]
        found.sort()
        return Sureness(found[REPEATS // 20], found[-1 - REPEATS // 20], 100 * better / REPEATS)


def best(good: Sequence[int], bad: Sequence[int], in_force: int, ratio: float) -> int:
    """The threshold that costs least. Where many cost the same: that in force, else the middle of the nearest."""
    costs = _costs(good, bad, ratio)
    least = min(costs)
    if costs[in_force] == least:
        return in_force
    near = min((at for at in range(BINS) if costs[at] == least), key=lambda at: abs(at - in_force))
    low = high = near
    while low > 0 and costs[low - 1] == least:
        low -= 1
    while high < BINS - 1 and costs[high + 1] == least:
        high += 1
    return (low + high) // 2


def _costs(good: Sequence[int], bad: Sequence[int], ratio: float) -> list[float]:
    """Of every threshold; bad ones that pass are all but those below it."""
    every = sum(bad)
    return [
        ratio * (every - short_bad) + short_good
        for short_good, short_bad in zip(_below(good), _below(bad), strict=True)
    ]


def _below(counts: Sequence[int]) -> list[int]:
    """How many lie below each threshold."""
    return list(accumulate(counts[:-1], initial=0))


def drawn(random: Random, mean: int) -> int:
    """A Poisson count; of many the normal distribution is near enough."""
    if mean >= COMMON:
        return max(0, round(random.gauss(mean, sqrt(mean))))
    if not mean:
        return 0
    limit, product, count = exp(-mean), random.random(), 0
    while product > limit:
        product *= random.random()
        count += 1
    return count
