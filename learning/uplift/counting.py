"""What is counted of guided runs and of the holdout, and where it stands (learning/facts.py, `counting.sql`)."""

from pathlib import Path

from django.db import migrations

from learning.strips import TRIGGERS

SQL = Path(__file__).with_suffix(".sql")
# The places of `counts`, in the order of the SQL, of a run's first round and its first review in it. Per trigger:
# on when it was generated, and raised then; made before its guidance was first sent, and since, and raised then.
# Reviewed runs alone but for the first place.
PARTS = ("on", "on_raised", "before", "before_raised", "since", "since_raised")
PLACES = ("runs", "first", "accepted", *(f"{trigger}.{part}" for trigger in TRIGGERS for part in PARTS))
_REMOVE = """
DROP FUNCTION foldback_uplift_count(uuid[]), foldback_uplift_of(uuid[]), foldback_uplift_sent(uuid[]);
"""


def count(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the functions that count. learning/facts.py calls them."""
    return migrations.RunSQL(first.read_text(), _REMOVE)
