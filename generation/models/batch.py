"""Runs created together; a batch's progress and outcome are read off its runs."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import uuid7


class Batch(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=200, blank=True)
    parallel = models.BooleanField(_("parallel"), default=False)
    spend_cap_usd = models.DecimalField(
        _("spend cap in US dollars"), max_digits=12, decimal_places=6, null=True, blank=True
    )  # null: no cap but the installation's
    cost_usd = models.DecimalField(
        _("cost so far"), max_digits=14, decimal_places=6, default=0
    )  # added call by call
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(spend_cap_usd__gt=0), name="batch_cap_above_0"),
        ]

    def __str__(self) -> str:
        return self.name or str(self.id)
