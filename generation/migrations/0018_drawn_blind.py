from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0017_holdout_share'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='drawn_blind',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
