"""How much reviews of unguided runs speak for a trigger: one level between nothing and enough. Pure.

A CUSUM (Page, Biometrika 41, 1954): every unguided run adds the logarithm of how many times likelier what its
reviewers said is where the mistake is common than where it is rare. The level never falls below nothing nor rises
above `enter`; there the trigger comes on, and it lets go where the level has fallen to `leave`. docs/study.md says
how the constants were chosen, and what others would give.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import log


@dataclass(frozen=True)
class Bounds:
    """At `enter` it comes on, at `leave` it lets go."""

    enter: float
    leave: float


BOUNDS = Bounds(enter=5.6, leave=2.6)
# What is rare and what is common, as parts of the share that the threshold names: 12 % and 38 % at three of ten.
RARE, COMMON = 0.4, 3.8 / 3
MOST_COMMON = 0.95  # of ten of ten no share can lie above it
BORROWED_REVIEWS = 5  # what a category says weighs at most as much as so many reviews of one's own


@dataclass(frozen=True)
class Odds:
    """What one run adds to the level: where its reviewers raised it, and (below 0) where they did not."""

    raised: float
    clear: float


@dataclass(frozen=True)
class Level:
    """Where the level stands. since: how many runs were passed when it last stood at nothing; changes: how many
    times it came on or let go."""

    on: bool = False
    value: float = 0.0
    since: int = 0
    changes: int = 0

    @property
    def bound(self) -> float:
        """What it takes to change: at or above it comes on, at or below it lets go."""
        return BOUNDS.leave if self.on else BOUNDS.enter


@cache
def odds(of_ten: int) -> Odds:
    """For a threshold of so many in ten."""
    rare, common = RARE * of_ten / 10, min(COMMON * of_ten / 10, MOST_COMMON)
    return Odds(log(common / rare), log((1 - common) / (1 - rare)))


def follow(runs: Iterable[bool], weigh: Odds, start: float = 0.0, bounds: Bounds = BOUNDS) -> Level:
    """The level after these unguided runs, oldest first; each says whether it raised the signal."""
    up, down, enter, leave = weigh.raised, weigh.clear, bounds.enter, bounds.leave
    on, value, since, changes, number = False, start, 0, 0, 0
    for number, raised in enumerate(runs, start=1):
        value += up if raised else down
        if value <= 0:
            value, since = 0.0, number
        if on:
            if value <= leave:
                on, changes = False, changes + 1
            elif value > enter:
                value = enter
        elif value >= enter:
            on, value, changes = True, enter, changes + 1
    return Level(on, value, since, changes)


def head_start(raised: int, of: int, weigh: Odds) -> float:
    """Where the level begins with what was seen elsewhere: as after `BORROWED_REVIEWS` runs at the rate there, or
    as after all where there are fewer. Never below nothing, and never enough to switch anything on."""
    if not of:
        return 0.0
    rate = raised / of
    said = min(BORROWED_REVIEWS, of) * (rate * weigh.raised + (1 - rate) * weigh.clear)
    return min(max(0.0, said), BOUNDS.enter - weigh.raised / 2)
