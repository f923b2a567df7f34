"""What people who reviewed the same record agree on: tables, and the functions that count."""

from pathlib import Path
import django.contrib.postgres.fields
from django.db import migrations, models

from learning import facts
from learning.agreement import counts


class Migration(migrations.Migration):

    dependencies = [
        ('learning', '0010_uplift'),
    ]

    operations = [
        migrations.CreateModel(
            name='Agreement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('what', models.CharField(max_length=40)),
                ('pattern', django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(), size=None)),
                ('units', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('flow', 'what', 'pattern'), name='agreement_once')],
            },
        ),
        migrations.CreateModel(
            name='AgreementFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run_id', models.UUIDField()),
                ('flow', models.CharField(max_length=40)),
                ('what', models.CharField(max_length=40)),
                ('pattern', django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(), size=None)),
                ('units', models.IntegerField()),
                ('differs', models.BooleanField()),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('differs', True)), fields=['flow', 'what', '-run_id'], name='agreementfact_differs')],
                'constraints': [models.UniqueConstraint(fields=('run_id', 'flow', 'what', 'pattern'), name='agreementfact_once')],
            },
        ),
        migrations.CreateModel(
            name='Pair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flow', models.CharField(max_length=40)),
                ('first_id', models.BigIntegerField()),
                ('second_id', models.BigIntegerField()),
                ('said', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('differed', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('flow', 'first_id', 'second_id'), name='pair_once')],
            },
        ),
        migrations.CreateModel(
            name='PairFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run_id', models.UUIDField()),
                ('flow', models.CharField(max_length=40)),
                ('first_id', models.BigIntegerField()),
                ('second_id', models.BigIntegerField()),
                ('said', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('differed', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run_id', 'flow', 'first_id', 'second_id'), name='pairfact_once')],
            },
        ),
        counts.count(Path(__file__).with_suffix('.sql')),
        facts.all_due(),
    ]
