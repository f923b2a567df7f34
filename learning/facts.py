"""The counting house: which runs are due to be counted anew, and every topic's counts of them, as of a time."""

from datetime import datetime
from pathlib import Path

from django.db import connection, migrations, transaction

from learning.models import AsOf, Due

SQL = Path(__file__).with_suffix(".sql")
AT_ONCE = 2_000  # rows that are due, in one transaction
# Each counts by foldback_<topic>_count(runs uuid[]): it puts the facts of these runs in the place of those that it
# had, and moves the sums by the difference. Facts come from stored rows alone, so that counting twice is harmless.
# Beside each topic the tables of its facts and its sums.
TOPICS: dict[str, tuple[str, ...]] = {
    "achieved": ("learning_achievedfact", "learning_achieved"),
    "days": ("learning_dayfact", "learning_daysum"),
    "judging": ("learning_judgingfact", "learning_judging", "learning_judgingscores"),
    "uplift": ("learning_upliftfact", "learning_uplift", "learning_firstsent"),
    "agreement": ("learning_agreementfact", "learning_agreement", "learning_pairfact", "learning_pair"),
    "costs": ("learning_costfact", "learning_cost"),
}
_REMOVE = """
DROP TRIGGER learning_due_call ON generation_call;
DROP TRIGGER learning_due_judgement ON generation_judgement;
DROP TRIGGER learning_due_event ON review_reviewevent;
DROP TRIGGER learning_due_run ON generation_run;
DROP TRIGGER learning_due_gone ON generation_run;
DROP FUNCTION foldback_due_of_runs(), foldback_due_of_run(), foldback_added(bigint[], bigint[]);
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('foldback.facts'))"
_TAKE = """
WITH taken AS (
  DELETE FROM learning_due WHERE id IN (SELECT id FROM learning_due ORDER BY id LIMIT %s) RETURNING run_id
)
SELECT count(*), array_agg(DISTINCT run_id) FROM taken
"""


def install(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the triggers, which note what is due."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def all_due() -> migrations.RunSQL:
    """The migration operation that has all runs counted anew, as a new topic needs it."""
    return migrations.RunSQL("INSERT INTO learning_due (run_id) SELECT id FROM generation_run", "SELECT")


def fold() -> int:
    """Count what is due, and note as of when; how many rows of that there were. Safe to stop at any point."""
    folded = 0
    while True:
        rows = _fold_some()
        folded += rows
        if rows < AT_ONCE:
            return folded


def _fold_some() -> int:
    """One transaction's share. Who folds at the same time waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
        with transaction.atomic():
            cursor.execute(_LOCK)
            cursor.execute(_TAKE, [AT_ONCE])
            rows, runs = cursor.fetchone()
            if rows:
                for topic in TOPICS:
                    cursor.execute(f"SELECT foldback_{topic}_count(%s)", [runs])
            if rows < AT_ONCE:
                AsOf.objects.update_or_create(pk=1, defaults={"at": at})
    return int(rows)


def rebuild() -> None:
    """Have every run counted anew, as after a restore; the next folding does it, and says as of when."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK)
        for tables in TOPICS.values():
            for table in tables:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
        AsOf.objects.all().delete()
        Due.objects.all().delete()
        cursor.execute("INSERT INTO learning_due (run_id) SELECT id FROM generation_run")


def as_of() -> datetime | None:
    """Everything that was written before is counted; None where nothing was ever folded."""
    return AsOf.objects.values_list("at", flat=True).first()
