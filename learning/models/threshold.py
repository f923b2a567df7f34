"""ThresholdSet: how many of ten switch a trigger on, for a category or a subcategory. Append-only."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Category, Subcategory


class ThresholdSet(models.Model):
    """The thresholds that one flow has in one place from now on; the newest row of a place speaks.

    of_ten: trigger → runs of ten, for those alone that differ from what the place has from above.
    """

    flow = models.CharField(_("flow"), max_length=40)
    category = models.ForeignKey(Category, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    subcategory = models.ForeignKey(
        Subcategory, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    of_ten = models.JSONField(_("of ten"), default=dict, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    why = models.CharField(_("why"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("threshold")
        verbose_name_plural = _("thresholds")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(category__isnull=True, subcategory__isnull=False)
                | Q(category__isnull=False, subcategory__isnull=True),
                name="thresholdset_one_place",
            )
        ]
        indexes = [
            models.Index(
                fields=["category", "flow", "-id"],
                name="thresholds_of_category",
                condition=Q(category__isnull=False),
            ),
            models.Index(
                fields=["subcategory", "flow", "-id"],
                name="thresholds_of_subcategory",
                condition=Q(subcategory__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.flow}: {self.subcategory or self.category}"
