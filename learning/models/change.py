"""ControlChange: what was merged and switched off when. The database writes it, whoever changes a row."""

from django.db import models
from django.db.models.functions import Now


class ControlChange(models.Model):
    """One change of a synonym or a switch (learning/changes.sql). Append-only.

    value: what the name counts as, or why learning is off; null where the row went away. The ids of one flow's
    synonyms rise in the order of their commits, so that the newest id tells all that was in force.
    """

    class Kind(models.TextChoices):
        SYNONYM = "synonym"
        SWITCH = "switch"

    kind = models.CharField(max_length=10, choices=Kind)
    flow = models.CharField(max_length=40, blank=True)  # of a synonym
    name = models.CharField(max_length=80, blank=True)  # of a synonym
    subcategory_id = models.BigIntegerField(null=True)  # of a switch; a value, it may be gone
    value = models.CharField(max_length=300, null=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["flow", "kind", "-id"], name="controlchange_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
