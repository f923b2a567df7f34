"""Worlds: how often a run has the mistake, unguided and guided, and what its reviewer makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WORTH = 0.2  # a true rate from which on guidance is worth its place: between what is rare and what is common


@dataclass(frozen=True)
class World:
    """rates: of each run in turn, how likely the mistake is without guidance. cured: the part of mistakes that
    guidance prevents. missed: of mistakes, what reviewers overlook; invented: of clean runs, what they flag."""

    name: str
    rates: Sequence[float]
    cured: float = 0.875
    missed: float = 0.0
    invented: float = 0.0
    holdout: float = 0.1
    changes_at: int | None = None  # the first run at which the rate is another one
    worth: bool | None = (
        None  # where the rates are no rates but what happened: whether guidance is worth its place
    )

    @property
    def reviews(self) -> int:
        return len(self.rates)

    def is_worth(self, at: int) -> bool:
        return self.rates[at] >= WORTH if self.worth is None else self.worth


def constant(name: str, rate: float, reviews: int = 1000, **world: Any) -> World:
    return World(name, [rate] * reviews, **world)


def jump(name: str, before: float, after: float, at: int, reviews: int, **world: Any) -> World:
    return World(name, [before] * at + [after] * (reviews - at), changes_at=at, **world)
