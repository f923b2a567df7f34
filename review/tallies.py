"""Looking after the tallies: folding their changes together, and counting all anew."""

from pathlib import Path

from django.db import connection, migrations

SQL = Path(__file__).with_suffix(".sql")
_REMOVE = """
DROP TRIGGER review_tally_event ON review_reviewevent;
DROP TRIGGER review_tally_runs ON generation_run;
DROP TRIGGER review_tally_run ON generation_run;
DROP TRIGGER review_tally_gone ON generation_run;
DROP FUNCTION foldback_tally_event(), foldback_tally_runs(), foldback_tally_run(), foldback_tally_gone(),
  foldback_tally_fold(), foldback_tally_rebuild(), foldback_day(timestamptz);
DROP FUNCTION IF EXISTS foldback_said(uuid, bigint), foldback_said(uuid, bigint, integer),
  foldback_unsettled(text, integer, integer), foldback_stage(text, integer),
  foldback_stage(text, integer, boolean);
"""


def install(first: Path) -> migrations.RunSQL:
    """The migration operation that brought functions and triggers, and counted what was there already."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def renew(before: Path, after: Path = SQL) -> migrations.RunSQL:
    """The migration operation that puts those of `after` in the place of those `before`, and counts anew."""
    return migrations.RunSQL(_REMOVE + after.read_text(), _REMOVE + before.read_text())


def fold() -> int:
    """Put the changes of each count into one row; how many rows went into it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT foldback_tally_fold()")
        folded: int = cursor.fetchone()[0]
        return folded


def rebuild() -> None:
    """Count everything anew: after rows went in past the triggers, as a restore or COPY without them does."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE generation_run, review_reviewevent")  # else it is planned for empty tables
        cursor.execute("SELECT foldback_tally_rebuild()")
