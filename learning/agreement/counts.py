"""The sums of what people agree on, and how they are counted (`counting.sql`, learning/facts.py)."""

from collections import defaultdict
from pathlib import Path

from django.db import migrations

from learning.models import Agreement
from learning.statistics.alpha import Pattern

SQL = Path(__file__).with_name("counting.sql")
# What people are compared in, in the order of the SQL, with the values that a pattern counts.
WHAT: dict[str, tuple[str, ...]] = {
    "decision": ("approve", "revise", "reject"),
    "accepted": ("no", "yes"),  # approved as it is, without a correction
    "information_present": ("no", "yes"),
    "missing_spec": ("no", "yes"),  # named any field; to name none is to say no
    "bad_format": ("no", "yes"),
    "wrong_information": ("no", "yes"),
    "wrong_physical_dimensions": ("no", "yes"),
}
_REMOVE = "DROP FUNCTION foldback_agreement_count(uuid[]), foldback_agreement_said(uuid[])"


def count(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the functions that count."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def of(flow: str) -> dict[str, dict[Pattern, int]]:
    """What → pattern → units of a flow: as many rows as there are patterns, whatever the history."""
    found: dict[str, dict[Pattern, int]] = defaultdict(dict)
    for row in Agreement.objects.filter(flow=flow, units__gt=0):
        found[row.what][tuple(row.pattern)] = row.units
    return found


def units_by_flow() -> dict[str, int]:
    """Flow → records that two people or more reviewed, of flows that have any."""
    rows = Agreement.objects.filter(what="decision", units__gt=0)
    found: dict[str, int] = defaultdict(int)
    for flow, units in rows.values_list("flow", "units"):
        found[flow] += units
    return dict(found)
