"""The influence map: which signal or trigger says what to which stage, as one table with a file per flow.

A line speaks where the run's own review (after a `revise`) raised its signal, or, where that review left the
signal unset, where the window's trigger fired. Its text is only the shipped default: rows of `Guidance` go
before it. Lines on different signals share no telling word, so that each can be recognised by its own.
"""

from learning.influence import change, item
from learning.influence.line import Line

__all__ = ["EXAMPLES", "INFLUENCE", "Line", "lines"]

INFLUENCE: dict[str, tuple[Line, ...]] = {
    "change": change.LINES,
    "item": item.LINES,
}

# The stages whose prompt shows a reviewed record.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "change": (),
    "item": ("extraction",),
}


def lines(flow: str, stage: str) -> tuple[Line, ...]:
    """The lines that may speak to one stage, in their fixed order."""
    return tuple(line for line in INFLUENCE.get(flow, ()) if line.stage == stage)
