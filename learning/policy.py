"""Policies: how triggers follow from the reviews of one flow and subcategory.

A policy is a pure function of the reviewed runs so far (oldest first, each with the reviews that count) and of
what they are read by: an empty window with the names' synonyms and the place's thresholds. There is one, `window`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from learning.triggers import Triggers, decide
from learning.window import SIZE, Window, WindowRun

Policy = Callable[[Sequence[WindowRun], Window], Triggers]
WINDOW = "window"


def by_window(past: Sequence[WindowRun], read_by: Window) -> Triggers:
    """The ten runs reviewed last decide alone."""
    return decide(replace(read_by, runs=tuple(past[-SIZE:])))


POLICIES: dict[str, Policy] = {WINDOW: by_window}
