"""What versions of prompts achieved: the runs to count anew, what each says, and the sums."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class AchievedDue(models.Model):
    """A run whose facts are to be counted anew. Triggers of the database write them (learning/achieved.sql)."""

    run_id = models.UUIDField()  # a value: a key would be checked at every call


class AchievedFact(models.Model):
    """What one run says of one version: counts in the places of `learning.achieved.PLACES`."""

    run_id = models.UUIDField()
    version_id = models.BigIntegerField()
    counts = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run_id", "version_id"], name="achievedfact_once")]


class Achieved(models.Model):
    """The sums of a version's facts."""

    version_id = models.BigIntegerField(primary_key=True)
    counts = ArrayField(models.BigIntegerField())


class AchievedAsOf(models.Model):
    """The one row: all that was written before `at` is counted."""

    at = models.DateTimeField()
