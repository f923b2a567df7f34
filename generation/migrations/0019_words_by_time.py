from pathlib import Path

from django.db import migrations, models

from generation import search


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0018_drawn_blind'),
    ]

    operations = [
        migrations.AddField(
            model_name='runtext',
            name='created_at',
            field=models.DateTimeField(null=True),
        ),
        search.replaced(Path(__file__).with_name('0011_search.sql')),
        migrations.RunSQL(
            "UPDATE generation_runtext t SET created_at = r.created_at FROM generation_run r WHERE r.id = t.run_id",
            migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            model_name='runtext',
            name='created_at',
            field=models.DateTimeField(),
        ),
        migrations.AddIndex(
            model_name='runtext',
            index=models.Index(fields=['-created_at', '-run'], name='runtext_newest'),
        ),
        # The statement above wrote the rows in any order; runs of the same time are read together.
        migrations.RunSQL(
            "CLUSTER generation_runtext USING generation_runtext_pkey; ANALYZE generation_runtext",
            migrations.RunSQL.noop,
        ),
    ]
