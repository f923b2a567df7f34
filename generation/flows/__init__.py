"""The flows: name → where its `FLOW` stands. An adopter adds a line here and a folder beside `item`."""

from functools import cache

from django.utils.module_loading import import_string

from generation.errors import BadInput
from generation.flows.base import Flow

FLOWS: dict[str, str] = {
    "change": "generation.flows.change.flow.FLOW",
    "item": "generation.flows.item.flow.FLOW",
}


@cache
def _load(name: str) -> Flow:
    found = import_string(FLOWS[name])
    assert isinstance(found, Flow), f"{FLOWS[name]} is no Flow"
    return found


def flow(name: str) -> Flow:
    """The flow of that name; BadInput at /flow where there is none."""
    if name not in FLOWS:
        raise BadInput.at("/flow", f"unknown flow {name!r}; known: {', '.join(sorted(FLOWS))}")
    return _load(name)
