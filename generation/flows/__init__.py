"""The flows: name → where its `FLOW` stands. Those of the setting FOLDBACK_FLOWS come from elsewhere."""

from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from generation.errors import BadInput, shown
from generation.flows.base import Flow

FLOWS: dict[str, str] = {
    "item": "generation.flows.item.flow.FLOW",
    "editorial": "generation.flows.editorial.flow.FLOW",
    "question": "generation.flows.question.flow.FLOW",
    "change": "generation.flows.change.flow.FLOW",
}
FLOWS |= settings.FOLDBACK_FLOWS


@cache
def _load(name: str) -> Flow:
    found = import_string(FLOWS[name])
    assert isinstance(found, Flow), f"{FLOWS[name]} is no Flow"
    return found


def label_of(name: str) -> str:
    """What people read for a flow; its name where it is not installed any more."""
    return _load(name).label if name in FLOWS else name


def flow(name: str) -> Flow:
    """The flow of that name; BadInput at /flow where there is none."""
    if name not in FLOWS:
        raise BadInput.at("/flow", f"unknown flow {shown(name)}; known: {', '.join(sorted(FLOWS))}")
    return _load(name)
