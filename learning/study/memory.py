"""How far a bounded look back goes: its states beside those of the whole history, review by review."""

from random import Random

from learning.study.deciders import Steady

RATES = (0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6)
REVIEWS, HOLDOUT, CURED = 2000, 0.1, 0.875


def agreement(rate: float, repeats: int, seed: int) -> float:
    """The share of reviews after which both say the same, where the prompts follow the bounded one."""
    same = 0
    for repeat in range(repeats):
        chance = Random(f"{seed} memory {rate} {repeat}").random  # noqa: S311 - chances of a simulation
        bounded, whole = Steady(), Steady(forgets=False)
        for _ in range(REVIEWS):
            control = chance() < HOLDOUT
            guided = bounded.on and not control
            raised = chance() < (rate * (1 - CURED) if guided else rate)
            for decider in (bounded, whole):
                decider.said(raised, not guided, control)
            same += bounded.on is whole.on
    return same / repeats / REVIEWS
