"""One history of a world under one policy, review by review, and what is counted of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from learning.study.deciders import Decider
from learning.study.world import World

Make = Callable[[World], Decider]


@dataclass
class Counts:
    """Sums over trials. outside: runs that are not in the holdout; on: reviews after which the trigger was on, and
    needlessly where guidance was not worth it; delays: reviews from a change of the world to the answer to it."""

    reviews: int = 0
    outside: int = 0
    errors: int = 0
    guided: int = 0
    switches: int = 0
    on: int = 0
    needless: int = 0
    unneeding: int = 0  # reviews at which guidance was not worth it
    delays: list[int] = field(default_factory=list)

    @property
    def error_rate(self) -> float:
        return self.errors / self.outside

    @property
    def switches_per_100(self) -> float:
        return 100 * self.switches / self.reviews

    @property
    def share_on(self) -> float:
        return self.on / self.reviews

    @property
    def share_needless(self) -> float:
        return self.needless / self.unneeding if self.unneeding else 0.0

    @property
    def share_guided(self) -> float:
        return self.guided / self.outside

    @property
    def delay(self) -> float | None:
        """The mean; a trial in which the policy never answered counts with all that was left of it."""
        return sum(self.delays) / len(self.delays) if self.delays else None


def uplift(policy: Counts, nothing: Counts, oracle: Counts) -> float | None:
    """The share of what an oracle prevents that the policy prevents; None where there is nothing to prevent."""
    most = nothing.errors - oracle.errors
    return (nothing.errors - policy.errors) / most if most > 0.01 * nothing.outside else None


def run(world: World, make: Make, repeats: int, seed: int) -> Counts:
    """Every policy meets the same chances: a run's three numbers depend on the seed and its place alone."""
    counts = Counts()
    for repeat in range(repeats):
        chance = Random(f"{seed} {world.name} {repeat}").random  # noqa: S311 - chances of a simulation
        live(world, make(world), chance, counts)
    return counts


def live(world: World, decider: Decider, chance: Callable[[], float], counts: Counts) -> None:
    """One trial, added to the counts."""
    changed = world.changes_at
    answered = changed is None
    before = False
    for at, rate in enumerate(world.rates):
        decider.before(at)
        guided = decider.on
        control, wrong, seen = chance() < world.holdout, chance(), chance()
        if not control:
            counts.outside += 1
            counts.guided += guided
        guided = guided and not control
        is_wrong = wrong < (rate * (1 - world.cured) if guided else rate)
        counts.errors += is_wrong and not control
        decider.said(seen >= world.missed if is_wrong else seen < world.invented, not guided, control)
        counts.switches += decider.on is not before
        counts.on += decider.on
        if not world.is_worth(at):
            counts.unneeding += 1
            counts.needless += decider.on
        before = decider.on
        if not answered and changed is not None and at >= changed and decider.on is world.is_worth(at):
            counts.delays.append(at - changed + 1)
            answered = True
    if not answered and changed is not None:
        counts.delays.append(world.reviews - changed)
    counts.reviews += world.reviews


def total(parts: Iterable[Counts]) -> Counts:
    """The sums of several worlds."""
    found = Counts()
    for part in parts:
        for name, value in vars(part).items():
            setattr(found, name, getattr(found, name) + value)
    return found
