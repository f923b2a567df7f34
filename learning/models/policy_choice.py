"""PolicyChoice: which policy the installation's triggers follow from now on. Append-only."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class PolicyChoice(models.Model):
    """One choice of an admin; the newest speaks, and where there is none the setting FOLDBACK_POLICY."""

    policy = models.CharField(_("policy"), max_length=20)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    why = models.CharField(_("why"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("policy")
        verbose_name_plural = _("policies")
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.policy
