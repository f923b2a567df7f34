"""Policies: how triggers follow from the reviews of one flow and subcategory, and what tells later how they did.

A policy is a pure function of the reviewed runs so far (oldest first, each with the reviews that count) and of
what they are read by: an empty window with the names' synonyms and the place's thresholds. There is one, `window`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from learning.triggers import Triggers, decide
from learning.window import SIZE, Window, WindowRun

Policy = Callable[[Sequence[WindowRun], Window], Triggers]
WINDOW = "window"


def by_window(past: Sequence[WindowRun], read_by: Window) -> Triggers:
    """The ten runs reviewed last decide alone."""
    return decide(replace(read_by, runs=tuple(past[-SIZE:])))


POLICIES: dict[str, Policy] = {WINDOW: by_window}


def basis(seen: Window, subcategory_id: int) -> Mapping[str, Any]:
    """What the triggers of this window came from, as JSON: enough to find exactly the same ones again for ever.

    events: per run, oldest first, its reviews that counted. thresholds: ids of the sets in force. synonyms: the
    newest `ControlChange` of merged names. All of it is append-only.
    """
    return {
        "policy": WINDOW,
        "subcategory": subcategory_id,
        "events": [list(run.events) for run in seen.runs],
        "thresholds": list(seen.thresholds.sets),
        "synonyms": seen.mark,
    }
