"""Guidance texts: an admin's rows over the shipped defaults of the influence map."""

from collections.abc import Iterable, Mapping

from generation.flows import FLOWS
from learning.influence import table
from learning.models import Guidance

Texts = Mapping[str, tuple[str, bool]]  # key → (text, enabled)


def shipped(flow: str) -> dict[str, tuple[str, bool]]:
    return {line.key: (line.text, True) for line in table(flow)}


def shipped_text(flow: str, key: str) -> str:
    """The shipped wording of a key; empty where no line of the map has it any more."""
    return shipped(flow).get(key, ("", False))[0]


def over_shipped(flow: str, rows: Iterable[tuple[str, str, bool]]) -> Texts:
    return shipped(flow) | {key: (text, enabled) for key, text, enabled in rows}


def texts(flow: str) -> Texts:
    """What each line of the map says now. One query."""
    return over_shipped(flow, Guidance.objects.filter(flow=flow).values_list("key", "text", "enabled"))


def seed() -> int:
    """A row for every line of the map that has none yet; what an admin wrote stays. How many came new."""
    rows = [Guidance(flow=flow, key=line.key, text=line.text) for flow in FLOWS for line in table(flow)]
    before = Guidance.objects.count()
    Guidance.objects.bulk_create(rows, ignore_conflicts=True)
    return Guidance.objects.count() - before
