"""Which policies meet which worlds."""

from collections.abc import Mapping
from dataclasses import dataclass

from learning.policies.evidence import BOUNDS, Bounds
from learning.study.deciders import ByWindow, Decider, Oracle, Steady
from learning.study.trial import Counts, Make, run, uplift
from learning.study.world import World, constant, jump

NOTHING, ORACLE = "no learning", "an oracle"
POLICIES: dict[str, Make] = {
    NOTHING: lambda world: Decider(),
    "`window`": lambda world: ByWindow(),
    "`steady`": lambda world: Steady(),
    "`steady`, the holdout alone": lambda world: Steady(alone=True),
    "always inject": lambda world: Decider(on=True),
    ORACLE: lambda world: Oracle(world=world),
}
COMMON = constant("40 %", 0.4)
RARE = constant("10 %", 0.1)
JUMP = jump("5 % to 40 %", 0.05, 0.4, 100, 300)
GONE = jump("40 % to 5 %", 0.4, 0.05, 400, 1000)
CARELESS = constant("40 %, careless reviewers", 0.4, missed=0.2, invented=0.05)
RARE_CARELESS = constant("10 %, careless reviewers", 0.1, missed=0.2, invented=0.05)
WORLDS = (COMMON, RARE, JUMP, GONE, CARELESS, RARE_CARELESS)
GRID = tuple(
    constant(f"{rate:.0%} to {rate * (1 - cured):.1%}", rate, cured=cured)
    for rate in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6)
    for cured in (0.5, 0.875)
)
GRID_POLICIES = (NOTHING, "`window`", "`steady`", ORACLE)
ENTERS = (2, 3, 4, 5, BOUNDS.enter, 6, 7, 8, 9, 10)
GAP = BOUNDS.enter - BOUNDS.leave


@dataclass(frozen=True)
class Met:
    """One world as the policies met it."""

    world: World
    by: Mapping[str, Counts]

    def uplift(self, policy: str) -> float | None:
        return uplift(self.by[policy], self.by[NOTHING], self.by[ORACLE])


def met(world: World, repeats: int, seed: int, policies: tuple[str, ...] = tuple(POLICIES)) -> Met:
    return Met(world, {name: run(world, POLICIES[name], repeats, seed) for name in policies})


@dataclass(frozen=True)
class Point:
    """One policy on the frontier. needless: share of the reviews on at a true 10 %."""

    label: str
    uplift: float
    needless: float
    delay: float
    let_go: float


def point(label: str, make: Make, repeats: int, seed: int) -> Point:
    common = {name: run(COMMON, POLICIES[name], repeats, seed) for name in (NOTHING, ORACLE)}
    found = uplift(run(COMMON, make, repeats, seed), common[NOTHING], common[ORACLE])
    return Point(
        label,
        found or 0.0,
        run(RARE, make, repeats, seed).share_on,
        run(JUMP, make, repeats, seed).delay or 0.0,
        run(GONE, make, repeats, seed).delay or 0.0,
    )


def frontier(repeats: int, seed: int) -> list[Point]:
    """`steady` at other bounds, with as much between them; and `window`, the last."""
    found = []
    for enter in ENTERS:
        bounds = Bounds(enter, max(0.0, enter - GAP))
        found.append(point(f"{enter:g}", lambda world, at=bounds: Steady(bounds=at), repeats, seed))  # type: ignore[misc]
    return [*found, point("window", POLICIES["`window`"], repeats, seed)]
