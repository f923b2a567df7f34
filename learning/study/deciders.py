"""The policies as the study asks them: what was said of each run goes in, whether the next is guided comes out.

`window` and `steady` decide by the product's own functions; `tests/learning/study/` holds both against
`learning.triggers.decide` over the same runs.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from learning.policies.evidence import BOUNDS, Bounds, follow, odds
from learning.policies.steady import LOOK_BACK
from learning.study.world import World
from learning.triggers import needed
from learning.window import SIZE

OF_TEN = 3  # the threshold of most triggers


@dataclass
class Decider:
    """One subcategory and trigger. on: whether the next run is guided, but for the holdout."""

    on: bool = False

    def before(self, at: int) -> None:
        """The run of this number is about to be made."""

    def said(self, raised: bool, unguided: bool, control: bool = False) -> None:
        """What the reviewer said of the run that was made last."""


@dataclass
class Oracle(Decider):
    """Knows the true rate."""

    world: World = field(default_factory=lambda: World("", []))

    def before(self, at: int) -> None:
        self.on = self.world.is_worth(at)


@dataclass
class ByWindow(Decider):
    runs: deque[bool] = field(default_factory=lambda: deque(maxlen=SIZE))

    def said(self, raised: bool, unguided: bool, control: bool = False) -> None:
        self.runs.append(raised)
        self.on = sum(self.runs) >= needed(OF_TEN, len(self.runs))


@dataclass
class Steady(Decider):
    """start: the level that it begins with, asked for as long as the look back reaches the first run.
    forgets: False looks at the whole history. alone: after its first guidance only the holdout counts."""

    bounds: Bounds = BOUNDS
    start: Callable[[], float] = float
    forgets: bool = True
    alone: bool = False
    was_on: bool = False
    runs: list[bool] = field(default_factory=list)  # the unguided ones
    numbers: list[int] = field(default_factory=list)  # of those
    number: int = 0

    def said(self, raised: bool, unguided: bool, control: bool = False) -> None:
        self.number += 1
        if control or (unguided and not (self.alone and self.was_on)):
            self.runs.append(raised)
            self.numbers.append(self.number)
        self.on = follow(self._seen, odds(OF_TEN), self._head_start, self.bounds).on
        self.was_on = self.was_on or self.on

    @property
    def _seen(self) -> list[bool]:
        if not self.forgets:
            return self.runs
        newest = len(self.runs) - bisect_right(self.numbers, self.number - LOOK_BACK.newest)
        return self.runs[-max(newest, LOOK_BACK.unguided) :]

    @property
    def _head_start(self) -> float:
        return self.start() if self.number < LOOK_BACK.newest else 0.0
