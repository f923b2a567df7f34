"""The influence map: which signal or trigger says what to which stage, as one table with a file per flow.

A line speaks where the run's own review (after a `revise`) raised its signal, or, where that review left the
signal unset, where the window's trigger fired. Its text is only the shipped default: rows of `Guidance` go
before it. Lines on different signals share no telling word, so that each can be recognised by its own.
"""

from django.utils.module_loading import import_string

from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.prompts import ships
from learning.influence import change, editorial, item, question
from learning.influence.line import Line

__all__ = ["INFLUENCE", "Line", "lines", "shows_example", "table"]

INFLUENCE: dict[str, tuple[Line, ...]] = {
    "item": item.LINES,
    "editorial": editorial.LINES,
    "question": question.LINES,
    "change": change.LINES,
}


def table(flow: str) -> tuple[Line, ...]:
    """All lines of a flow; one from elsewhere names where its own stand."""
    path = flow_named(flow).influence if flow in FLOWS and flow not in INFLUENCE else ""
    return tuple(import_string(path)) if path else INFLUENCE.get(flow, ())


def lines(flow: str, stage: str) -> tuple[Line, ...]:
    """The lines that may speak to one stage, in their fixed order."""
    return tuple(line for line in table(flow) if line.stage == stage)


def shows_example(flow: str, stage: str) -> bool:
    """Whether a stage's prompt shows a reviewed record: where its shipped text asks for one."""
    return flow in FLOWS and ships(flow, stage, "EXAMPLE_ITEM")
