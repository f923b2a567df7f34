"""What each version of a prompt achieved, off sums that are folded (`achieved.sql`, learning/facts.py)."""

from collections.abc import Iterable
from pathlib import Path

from django.db import migrations

from learning.models import Achieved

SQL = Path(__file__).with_suffix(".sql")
# The places of `counts`, in the order of the SQL. Of a run's first round and first review; cost in millionths.
PLACES = (
    "runs", "first", "accepted", "information_present_low", "missing_spec", "bad_format", "wrong_information",
    "wrong_physical_dimensions", "judged", "passed", "unavailable", "calls", "input_tokens", "output_tokens",
    "cost", "duration_ms",
)  # fmt: skip
_REMOVE = "DROP FUNCTION foldback_achieved_count(uuid[]), foldback_achieved_of(uuid[])"


def count(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the functions that count. learning/facts.py calls them."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def of(version_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """The sums of these versions, by place; one query whatever the history."""
    found = Achieved.objects.filter(version_id__in=list(version_ids))
    sums = {one.version_id: dict(zip(PLACES, one.counts, strict=True)) for one in found}
    return {version_id: sums.get(version_id, dict.fromkeys(PLACES, 0)) for version_id in version_ids}
