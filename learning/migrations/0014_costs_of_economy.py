"""Calls by the provider's batch interface are counted apart, for they have another price."""

from pathlib import Path

from django.db import migrations

DUE = """
INSERT INTO learning_due (run_id)
SELECT DISTINCT run_id FROM generation_call WHERE request @> '{"economy": true}'
"""


class Migration(migrations.Migration):

    dependencies = [
        ('learning', '0013_policy_choice'),
    ]

    operations = [
        # Nothing is taken back: the function counts into the same tables as the one before.
        migrations.RunSQL(Path(__file__).with_suffix('.sql').read_text(), migrations.RunSQL.noop),
        migrations.RunSQL(DUE, migrations.RunSQL.noop),
    ]
