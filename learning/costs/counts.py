"""The sums of what records cost, and how they are counted (`counting.sql`, learning/facts.py)."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from django.db import migrations

from learning.models import Cost
from learning.models.cost import ALL_TIME, ANY_MODEL

SQL = Path(__file__).with_name("counting.sql")
# The places of `counts`, in the order of the SQL. Cost in millionths of a dollar; `input_tokens` are those that
# the cache neither gave nor took; first_ is of first rounds, `guided` are calls with anything injected.
PLACES = (
    "runs", "accepted", "first_accepted", "calls", "failed", "input_tokens", "cache_read_tokens",
    "cache_write_tokens", "output_tokens", "cost", "duration_ms", "first_calls", "first_tokens", "first_cost",
    "first_duration_ms", "guided", "injected_characters", "injected_tokens",
)  # fmt: skip
ECONOMY = "@economy"  # behind the model of calls by the provider's batch interface
RUNS = ("", 0, ANY_MODEL)  # where in the sums of a flow its runs are counted
Sums = dict[str, int]
_REMOVE = """
DROP TRIGGER learning_due_over ON generation_run;
DROP FUNCTION foldback_costs_count(uuid[]), foldback_costs_of(uuid[]), foldback_over(text, integer);
"""


def count(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the functions that count, and the trigger."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def none() -> Sums:
    return dict.fromkeys(PLACES, 0)


def added(sums: Iterable[Sums]) -> Sums:
    """Place by place."""
    found = none()
    for one in sums:
        for place, value in one.items():
            found[place] += value
    return found


def of(flow: str) -> dict[tuple[str, int, str], Sums]:
    """(stage, version, model) → sums of all time: as many rows as there are versions with their models."""
    rows = Cost.objects.filter(flow=flow, week=ALL_TIME)
    return {(row.stage, row.version_id, row.model): _sums(row) for row in rows if any(row.counts)}


def of_weeks(flow: str, since: date) -> dict[tuple[date, str], Sums]:
    """(week, stage) → sums, of weeks from `since` on."""
    rows = Cost.objects.filter(flow=flow, week__gte=since)
    return {(row.week, row.stage): _sums(row) for row in rows}


def runs_by_flow() -> dict[str, int]:
    """Flow → runs that are over, of flows that have any."""
    rows = Cost.objects.filter(week=ALL_TIME, stage="", model=ANY_MODEL)
    return {row.flow: runs for row in rows if (runs := _sums(row)["runs"])}


def _sums(row: Cost) -> Sums:
    return dict(zip(PLACES, row.counts, strict=True))
