"""Claim: a reviewer's lease on a run, by database time."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Run


class Claim(models.Model):
    run = models.OneToOneField(Run, models.CASCADE, related_name="claim")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="claims")
    created_at = models.DateTimeField(_("claimed"), db_default=Now())
    expires_at = models.DateTimeField(_("expires"))

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        ordering = ["expires_at"]
        indexes = [models.Index(fields=["reviewer", "expires_at"], name="claim_by_reviewer")]

    def __str__(self) -> str:
        return f"{self.run}: {self.reviewer}"
