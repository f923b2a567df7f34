"""ToldTriggers: what others were told last of a subcategory's triggers."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from generation.models import Subcategory


class ToldTriggers(models.Model):
    """Which triggers fired when others were last told of them: `trigger.changed` tells the difference."""

    flow = models.CharField(max_length=40)
    subcategory = models.ForeignKey(Subcategory, models.CASCADE, related_name="+")
    fired = ArrayField(models.CharField(max_length=60), default=list)
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "subcategory"], name="toldtriggers_once")]
