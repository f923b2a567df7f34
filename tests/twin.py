"""A second flow for tests: made as items are, under a name of its own."""

from dataclasses import replace

import pytest

from generation.flows import FLOWS, flow
from generation.flows.base import Stage

FLOW = replace(
    flow("item"),
    name="twin",
    label="Twin",
    influence="learning.influence.item.LINES",
    words={"bad_format": ("Untidy", "not as tidy as a twin should be")},
)


def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FLOWS, "twin", f"{__name__}.FLOW")


# Wrong ones, for the system check: a stage without a prompt, and lines that are not there.
ODD = replace(FLOW, name="odd", stages={"x": Stage("x", "X")})
LOST = replace(FLOW, name="lost", influence="learning.influence.NOTHING")
