"""Thin subcategories: a category of many with few reviews each, with and without what they lend each other."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from learning.policies.borrowing import LENDERS, LENT
from learning.policies.evidence import head_start, odds
from learning.study.deciders import OF_TEN, ByWindow, Decider, Oracle, Steady
from learning.study.trial import Counts
from learning.study.world import World, constant

PLACES, EACH = 12, 25


@dataclass
class Lending:
    """What the subcategories of one category said last: raised, and whether that run was unguided."""

    said: list[deque[tuple[bool, bool]]] = field(
        default_factory=lambda: [deque(maxlen=LENT) for _ in range(PLACES)]
    )

    def to(self, place: int) -> float:
        others = [said for other, said in enumerate(self.said) if other != place][:LENDERS]
        lent = [raised for said in others for raised, unguided in said if unguided]
        return head_start(sum(lent), len(lent), odds(OF_TEN))


Make = Callable[[World, Lending, int], Decider]
THIN: dict[str, Make] = {
    "no learning": lambda world, lending, place: Decider(),
    "`window`": lambda world, lending, place: ByWindow(),
    "`steady`, nothing borrowed": lambda world, lending, place: Steady(),
    "`steady`, borrowing": lambda world, lending, place: Steady(start=lambda: lending.to(place)),
    "an oracle": lambda world, lending, place: Oracle(world=world),
}
CATEGORIES: dict[str, tuple[float, ...]] = {
    "all at 40 %": (0.4,) * PLACES,
    "all at 10 %": (0.1,) * PLACES,
    "half at 40 %, half at 5 %": (0.4, 0.05) * (PLACES // 2),
}


def run(rates: Sequence[float], make: Make, repeats: int, seed: int) -> Counts:
    """The subcategories' runs come in turn, so that what one lends is as old as what the other has."""
    worlds = [constant("", rate, EACH) for rate in rates]
    counts = Counts()
    for repeat in range(repeats):
        chance = Random(f"{seed} thin {repeat}").random  # noqa: S311 - chances of a simulation
        lending = Lending()
        deciders = [make(world, lending, place) for place, world in enumerate(worlds)]
        for at in range(EACH):
            for place, (world, decider) in enumerate(zip(worlds, deciders, strict=True)):
                _live(at, place, world, decider, lending, chance, counts)
    return counts


def _live(
    at: int,
    place: int,
    world: World,
    decider: Decider,
    lending: Lending,
    chance: Callable[[], float],
    counts: Counts,
) -> None:
    decider.before(at)
    before, (control, wrong) = decider.on, (chance() < world.holdout, chance())
    guided = before and not control
    raised = wrong < (world.rates[at] * (1 - world.cured) if guided else world.rates[at])
    counts.reviews += 1
    counts.outside += not control
    counts.errors += raised and not control
    counts.guided += guided
    lending.said[place].append((raised, not guided))
    decider.said(raised, not guided, control)
    counts.switches += decider.on is not before
    counts.on += decider.on
    counts.unneeding += not world.is_worth(at)
    counts.needless += decider.on and not world.is_worth(at)
