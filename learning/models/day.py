"""First reviews by day: what each run says of its day, and the sums."""

from django.db import models


class DayFact(models.Model):
    """The day (UTC) of a run's first review that stands, and 1 where it accepted."""

    run_id = models.UUIDField(primary_key=True)
    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField()
    day = models.DateField()
    accepted = models.IntegerField()


class DaySum(models.Model):
    """first: runs of that day's first reviews. accepted: those that were accepted."""

    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField()
    day = models.DateField()
    first = models.BigIntegerField()
    accepted = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "subcategory_id", "day"], name="daysum_once")]
        indexes = [models.Index(fields=["day"], name="daysum_days")]
