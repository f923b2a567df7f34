"""The judge beside people: facts, their sums, and the functions that count them."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from learning import facts
from learning.judging import counting


class Migration(migrations.Migration):

    dependencies = [
        ('learning', '0008_days'),
        ('review', '0012_drawn_blind'),
    ]

    operations = [
        migrations.CreateModel(
            name='Judging',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('kind', models.CharField(max_length=40)),
                ('criterion', models.CharField(max_length=60)),
                ('version_id', models.BigIntegerField()),
                ('model', models.CharField(max_length=100)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('flow', 'kind', 'criterion', 'version_id', 'model'), name='judging_once')],
            },
        ),
        migrations.CreateModel(
            name='JudgingFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run_id', models.UUIDField()),
                ('judgement_id', models.BigIntegerField()),
                ('flow', models.CharField(max_length=40)),
                ('institution_id', models.BigIntegerField()),
                ('kind', models.CharField(max_length=40)),
                ('criterion', models.CharField(max_length=60)),
                ('version_id', models.BigIntegerField()),
                ('model', models.CharField(max_length=100)),
                ('passed', models.BooleanField(null=True)),
                ('good', models.BooleanField(null=True)),
                ('score', models.SmallIntegerField(null=True)),
                ('reviewed_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['run_id'], name='judgingfact_of_run'), models.Index(condition=models.Q(models.Q(('good', False), ('passed', True)), models.Q(('good', True), ('passed', False)), _connector='OR'), fields=['flow', 'kind', 'criterion', 'passed', '-reviewed_at', '-id'], name='judgingfact_missed'), models.Index(condition=models.Q(models.Q(('good', False), ('passed', True)), models.Q(('good', True), ('passed', False)), _connector='OR'), fields=['flow', 'kind', 'criterion', 'passed', 'version_id', 'model', '-reviewed_at', '-id'], name='judgingfact_missed_by')],
                'constraints': [models.UniqueConstraint(fields=('judgement_id', 'criterion'), name='judgingfact_once')],
            },
        ),
        migrations.CreateModel(
            name='JudgingScores',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('institution_id', models.BigIntegerField()),
                ('version_id', models.BigIntegerField()),
                ('model', models.CharField(max_length=100)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('flow', 'institution_id', 'version_id', 'model'), name='judgingscores_once')],
            },
        ),
        counting.count(Path(__file__).with_suffix('.sql')),
        facts.all_due(),
    ]
