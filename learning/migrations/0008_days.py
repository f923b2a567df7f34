"""First reviews by subcategory and day, counted from all runs that there are."""

from pathlib import Path

from django.db import migrations, models

from learning import facts


class Migration(migrations.Migration):

    dependencies = [
        ('learning', '0007_facts'),
    ]

    operations = [
        migrations.CreateModel(
            name='DayFact',
            fields=[
                ('run_id', models.UUIDField(primary_key=True, serialize=False)),
                ('flow', models.CharField(max_length=40)),
                ('subcategory_id', models.BigIntegerField()),
                ('day', models.DateField()),
                ('accepted', models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='DaySum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('subcategory_id', models.BigIntegerField()),
                ('day', models.DateField()),
                ('first', models.BigIntegerField()),
                ('accepted', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['day'], name='daysum_days')],
                'constraints': [models.UniqueConstraint(fields=('flow', 'subcategory_id', 'day'), name='daysum_once')],
            },
        ),
        migrations.RunSQL(
            Path(__file__).with_suffix('.sql').read_text(), 'DROP FUNCTION foldback_days_count(uuid[])'
        ),
        facts.all_due(),
    ]
