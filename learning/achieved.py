"""What each version of a prompt achieved, off sums that the database keeps (`achieved.sql`) and a task folds."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.db import connection, migrations, transaction

from learning.models import Achieved, AchievedAsOf, AchievedDue

SQL = Path(__file__).with_suffix(".sql")
AT_ONCE = 2_000  # rows that are due, in one transaction
# The places of `counts`, in the order of the SQL. Of a run's first round and first review; cost in millionths.
PLACES = (
    "runs", "first", "accepted", "information_present_low", "missing_spec", "bad_format", "wrong_information",
    "wrong_physical_dimensions", "judged", "passed", "unavailable", "calls", "input_tokens", "output_tokens",
    "cost", "duration_ms",
)  # fmt: skip
_REMOVE = """
DROP TRIGGER learning_achieved_call ON generation_call;
DROP TRIGGER learning_achieved_judgement ON generation_judgement;
DROP TRIGGER learning_achieved_event ON review_reviewevent;
DROP FUNCTION foldback_achieved_due(), foldback_achieved_fold(integer), foldback_achieved_of(uuid[]),
  foldback_added(bigint[], bigint[]);
"""


def install(first: Path) -> migrations.RunSQL:
    """The migration operation that brings functions and triggers; all runs that there are, are due."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def fold() -> int:
    """Count what is due, and note as of when; how many rows of that there were. Safe to stop at any point."""
    folded = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT clock_timestamp()")
            at: datetime = cursor.fetchone()[0]
            with transaction.atomic():
                cursor.execute("SELECT foldback_achieved_fold(%s)", [AT_ONCE])
                rows: int = cursor.fetchone()[0]
                if rows < AT_ONCE:
                    AchievedAsOf.objects.update_or_create(pk=1, defaults={"at": at})
            folded += rows
            if rows < AT_ONCE:
                return folded


def rebuild() -> None:
    """Count everything anew, as after a restore; the next folding does it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('foldback.achieved'))")
        cursor.execute("DELETE FROM learning_achievedfact")
        Achieved.objects.all().delete()
        AchievedDue.objects.all().delete()
        cursor.execute("INSERT INTO learning_achieveddue (run_id) SELECT id FROM generation_run")


def of(version_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """The sums of these versions, by place; one query whatever the history."""
    found = Achieved.objects.filter(version_id__in=list(version_ids))
    sums = {one.version_id: dict(zip(PLACES, one.counts, strict=True)) for one in found}
    return {version_id: sums.get(version_id, dict.fromkeys(PLACES, 0)) for version_id in version_ids}


def as_of() -> datetime | None:
    """Everything that was written before is counted; None where nothing was ever folded."""
    return AchievedAsOf.objects.values_list("at", flat=True).first()
