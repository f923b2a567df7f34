"""What records cost: tables, and the functions that count."""

from pathlib import Path
import django.contrib.postgres.fields
from django.db import migrations, models

from learning import facts
from learning.costs import counts


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0022_injection_sizes'),
        ('learning', '0011_agreement'),
    ]

    operations = [
        migrations.CreateModel(
            name='Cost',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('week', models.DateField()),
                ('stage', models.CharField(max_length=40)),
                ('version_id', models.BigIntegerField()),
                ('model', models.CharField(max_length=100)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('flow', 'week', 'stage', 'version_id', 'model'), name='cost_once')],
            },
        ),
        migrations.CreateModel(
            name='CostFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run_id', models.UUIDField()),
                ('flow', models.CharField(max_length=40)),
                ('week', models.DateField()),
                ('stage', models.CharField(max_length=40)),
                ('version_id', models.BigIntegerField()),
                ('model', models.CharField(max_length=100)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run_id', 'stage', 'version_id', 'model'), name='costfact_once')],
            },
        ),
        counts.count(Path(__file__).with_suffix('.sql')),
        facts.all_due(),
    ]
