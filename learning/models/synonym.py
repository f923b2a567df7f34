"""FieldSynonym: two names of one missing field."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FieldSynonym(models.Model):
    """A missing field's name that means another: `name` (folded) counts as `canonical`."""

    flow = models.CharField(_("flow"), max_length=40)
    name = models.CharField(_("name"), max_length=80)
    canonical = models.CharField(_("counts as"), max_length=80)

    class Meta:
        verbose_name = _("field synonym")
        verbose_name_plural = _("field synonyms")
        ordering = ["flow", "canonical", "name"]
        constraints = [models.UniqueConstraint(fields=["flow", "name"], name="fieldsynonym_once_per_name")]

    def __str__(self) -> str:
        return f"{self.name} → {self.canonical}"
