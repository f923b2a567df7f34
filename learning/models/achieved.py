"""What versions of prompts achieved: what each run says of them, and the sums."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


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
