from pathlib import Path

from django.db import migrations

from generation.append_only import protect

SQL = Path(__file__).resolve().parent.parent / "changes.sql"
REMOVE = """
DROP TRIGGER learning_synonym_change ON learning_fieldsynonym;
DROP TRIGGER learning_switch_change ON learning_switch;
DROP FUNCTION foldback_synonym_change(), foldback_switch_change();
UPDATE learning_guidance SET live_id = NULL;
"""


class Migration(migrations.Migration):
    dependencies = [("learning", "0002_studio"), ("generation", "0002_append_only")]

    operations = [
        migrations.RunSQL(SQL.read_text(), REMOVE),
        protect(
            "learning_controlchange", "learning_guidancemove", "learning_guidanceversion", "learning_thresholdset"
        ),
    ]
