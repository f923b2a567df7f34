"""Looking after the tallies: folding their changes together, and counting all anew."""

from pathlib import Path

from django.db import connection, migrations

SQL = Path(__file__).with_suffix(".sql")
REMOVE = """
DROP TRIGGER review_tally_event ON review_reviewevent;
DROP TRIGGER review_tally_runs ON generation_run;
DROP TRIGGER review_tally_run ON generation_run;
DROP TRIGGER review_tally_gone ON generation_run;
DROP FUNCTION foldback_tally_event(), foldback_tally_runs(), foldback_tally_run(), foldback_tally_gone(),
  foldback_tally_fold(), foldback_tally_rebuild(), foldback_said(uuid, bigint), foldback_day(timestamptz),
  foldback_stage(text, integer);
"""


def install() -> migrations.RunSQL:
    """The migration operation that brings functions and triggers, and counts what is there already."""
    return migrations.RunSQL(SQL.read_text(), REMOVE)


def of_runs() -> str:
    """The functions, and the trigger on a run's changes, as they were before panel.sql."""
    functions, _made, triggers = SQL.read_text().partition("CREATE TRIGGER review_tally_event")
    one = triggers[
        triggers.index("CREATE TRIGGER review_tally_run ") : triggers.index("CREATE TRIGGER review_tally_gone")
    ]
    return functions + one


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
