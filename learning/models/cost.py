"""What records cost: what each run that is over says of it, and the sums."""

from datetime import date

from django.contrib.postgres.fields import ArrayField
from django.db import models

ALL_TIME = date.min  # the week of the sums over all weeks
ANY_MODEL = "*"


class CostFact(models.Model):
    """Of one run, by stage, version and model: counts in the places of `learning.costs.counts.PLACES`.

    A stage of "" is the run itself. How many runs and records there are stands at `ANY_MODEL` and is not split by
    models, since a run may have asked several. version_id: 0 where a call names none. week: its Monday, UTC.
    """

    run_id = models.UUIDField()
    flow = models.CharField(max_length=40)
    week = models.DateField()
    stage = models.CharField(max_length=40)
    version_id = models.BigIntegerField()
    model = models.CharField(max_length=100)
    counts = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run_id", "stage", "version_id", "model"], name="costfact_once")
        ]


class Cost(models.Model):
    """The sums: of all time (`ALL_TIME`) by stage, version and model; of a week by stage alone."""

    flow = models.CharField(max_length=40)
    week = models.DateField()
    stage = models.CharField(max_length=40)
    version_id = models.BigIntegerField()
    model = models.CharField(max_length=100)
    counts = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["flow", "week", "stage", "version_id", "model"], name="cost_once")
        ]
