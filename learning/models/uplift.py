"""What runs with guidance and without say: of each run, in sums, and since when guidance was sent."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class UpliftFact(models.Model):
    """What one run says: counts in the places of `learning.uplift.counting.PLACES`."""

    run_id = models.UUIDField(primary_key=True)
    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField()  # where it was generated
    share = models.DecimalField(max_digits=7, decimal_places=6)  # of the holdout; 0: nothing was drawn
    arm = models.CharField(max_length=10)
    made_at = models.DateTimeField(null=True)  # its first call; none of a record that was imported
    counts = ArrayField(models.SmallIntegerField())

    class Meta:
        indexes = [models.Index(fields=["subcategory_id", "flow", "made_at"], name="upliftfact_since")]


class Uplift(models.Model):
    """The sums of the facts of one place, share and arm."""

    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField()
    share = models.DecimalField(max_digits=7, decimal_places=6)
    arm = models.CharField(max_length=10)
    counts = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["flow", "subcategory_id", "share", "arm"], name="uplift_once")
        ]


class FirstSent(models.Model):
    """When the guidance of a trigger first went into a prompt."""

    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField()
    trigger = models.CharField(max_length=60)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["flow", "subcategory_id", "trigger"], name="firstsent_once")
        ]
