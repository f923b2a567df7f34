"""A failed run with no draft is common, which a status and a revision taken each for itself do not say: so that the
planner walks `run_without_record` in its order, where it would else read all of it and sort."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("generation", "0006_runs_without_record")]

    operations = [
        migrations.RunSQL(
            "CREATE STATISTICS generation_run_stage (mcv) ON status, revision FROM generation_run",
            "DROP STATISTICS generation_run_stage",
        )
    ]
