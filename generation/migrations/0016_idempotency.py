import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0015_webhooks'),
    ]

    operations = [
        migrations.AddField(
            model_name='idempotencykey',
            name='made',
            field=models.JSONField(default=dict),
        ),
        migrations.RunSQL(
            "UPDATE generation_idempotencykey SET made = jsonb_build_object('run', run_id)",
            migrations.RunSQL.noop,
        ),
        # What the statement above queued is checked before the table changes.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RemoveField(
            model_name='idempotencykey',
            name='run',
        ),
        migrations.AlterField(
            model_name='idempotencykey',
            name='created_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True),
        ),
    ]
