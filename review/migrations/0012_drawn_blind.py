from pathlib import Path

from django.db import migrations, models

from review import panel


# Of reviews from before nothing says which of the two they were blind to: they are no evidence of the judge.
class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0018_drawn_blind'),
        ('review', '0011_exports'),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewevent',
            name='blind_to_judge',
            field=models.BooleanField(db_default=False, default=False, verbose_name='blind to the judge'),
        ),
        panel.renew(Path(__file__).with_name('0010_several_reviewers.sql')),
    ]
