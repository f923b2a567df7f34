"""Switch: learning off, for one subcategory or as a whole."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Subcategory


class Switch(models.Model):
    """A row switches learning off: for one subcategory, or, without one, as a whole."""

    subcategory = models.OneToOneField(
        Subcategory, models.CASCADE, null=True, blank=True, related_name="learning_switch"
    )
    why = models.CharField(_("why"), max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("learning switch")
        verbose_name_plural = _("learning switches")
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=Q(subcategory__isnull=True), name="switch_whole_installation_once"
            )
        ]

    def __str__(self) -> str:
        return str(self.subcategory or _("learning as a whole"))
