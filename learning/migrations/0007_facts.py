"""One place that notes which runs are due to be counted, for all topics."""

from pathlib import Path

from django.db import migrations

from learning import achieved, facts

HERE = Path(__file__)
REMOVE = """
DROP TRIGGER learning_achieved_call ON generation_call;
DROP TRIGGER learning_achieved_judgement ON generation_judgement;
DROP TRIGGER learning_achieved_event ON review_reviewevent;
DROP FUNCTION foldback_achieved_due(), foldback_achieved_fold(integer);
"""
AGAIN = """
DROP FUNCTION foldback_achieved_of(uuid[]), foldback_added(bigint[], bigint[]);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('learning', '0006_told_triggers'),
    ]

    operations = [
        migrations.RunSQL(REMOVE, HERE.with_name('0004_achieved.sql').read_text()),
        migrations.RenameModel('AchievedDue', 'Due'),
        migrations.RenameModel('AchievedAsOf', 'AsOf'),
        migrations.RunSQL(AGAIN, migrations.RunSQL.noop),
        facts.install(HERE.with_suffix('.sql')),
        achieved.count(HERE.with_name('0007_facts_achieved.sql')),
    ]
