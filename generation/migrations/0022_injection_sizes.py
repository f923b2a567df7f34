"""How long injected texts were, kept where they are forgotten."""
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0021_reserved_slugs'),
    ]

    operations = [
        migrations.AddField(
            model_name='injection',
            name='characters',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='injection',
            name='tokens',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.RunSQL(
            "UPDATE generation_injection SET characters = length(text), tokens = (octet_length(text) + 3) / 4"
            " WHERE text <> ''",
            migrations.RunSQL.noop,
        ),
    ]
