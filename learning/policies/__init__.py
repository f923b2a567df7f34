"""Policies: how the triggers of a flow and subcategory follow from its reviewed runs. A file each.

`LOOK_BACK` says how many runs it reads, and `decide(window)` gives the triggers: a pure function of the runs that
were read (`Window.past`, oldest first) and of what they are read by (merged names, thresholds, what was borrowed).
One that borrows has `loans`, too: what subcategories with fewer runs than it reads begin with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from learning.names import Synonyms
    from learning.triggers import Triggers
    from learning.window import Loan, Window

WINDOW, STEADY = "window", "steady"
POLICIES: dict[str, str] = {WINDOW: "learning.policies.window", STEADY: "learning.policies.steady"}


@dataclass(frozen=True)
class LookBack:
    """How many reviewed runs are read, however long the history: so many of the newest, and so many of the newest
    whose first round carried no window's guidance at all."""

    newest: int
    unguided: int = 0


@dataclass(frozen=True)
class Policy:
    name: str
    look_back: LookBack
    decide: Callable[["Window"], "Triggers"]
    loans: "Callable[[str, list[int], Synonyms], dict[int, Loan]] | None" = None


@cache
def policy(name: str) -> Policy:
    """The policy of that name; KeyError where there is none."""
    module = import_module(POLICIES[name])
    return Policy(name, cast(LookBack, module.LOOK_BACK), module.decide, getattr(module, "loans", None))
