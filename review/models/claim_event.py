"""ClaimEvent: a claim was taken, given back, or ended by another. Append-only; a review ends one without."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Run


class ClaimEvent(models.Model):
    class Kind(models.TextChoices):
        TAKEN = "taken", _("taken")
        GIVEN_BACK = "given_back", _("given back")
        FREED = "freed", _("freed by another")

    run = models.ForeignKey(Run, models.PROTECT, related_name="claim_events")
    kind = models.CharField(max_length=10, choices=Kind)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, help_text=_("who held")
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    created_at = models.DateTimeField(_("when"), db_default=Now())

    class Meta:
        verbose_name = _("claim event")
        verbose_name_plural = _("claim events")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.run}: {self.get_kind_display()}"
