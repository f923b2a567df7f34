"""Placement: a person took a run out of the queue, or put it back. Append-only; no rule ever writes one."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Run

LONGEST_WHY = 500


class Placement(models.Model):
    class Kind(models.TextChoices):
        SET_ASIDE = "set_aside", _("set aside")
        PUT_BACK = "put_back", _("put back")

    run = models.ForeignKey(Run, models.PROTECT, related_name="placements")
    kind = models.CharField(max_length=10, choices=Kind)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="placements")
    why = models.CharField(_("why"), max_length=LONGEST_WHY, blank=True)
    created_at = models.DateTimeField(_("when"), db_default=Now())

    class Meta:
        verbose_name = _("placement")
        verbose_name_plural = _("placements")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.run}: {self.get_kind_display()}"
