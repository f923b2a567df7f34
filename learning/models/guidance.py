"""Guidance: the texts of the influence map."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Guidance(models.Model):
    """The text that one line of the influence map puts into one stage's placeholder.

    `key` is "signal.stage" ("bad_format.extraction"), flow-wide; `shipped` texts live in
    `learning/influence.py`. A text may hold `{names}`, where the line fills names in.
    """

    flow = models.CharField(_("flow"), max_length=40)
    key = models.CharField(_("key"), max_length=100)
    text = models.TextField(_("text"), max_length=2000)
    enabled = models.BooleanField(_("enabled"), default=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    changed_at = models.DateTimeField(_("changed"), db_default=Now())

    class Meta:
        verbose_name = _("guidance text")
        verbose_name_plural = _("guidance texts")
        ordering = ["flow", "key"]
        constraints = [models.UniqueConstraint(fields=["flow", "key"], name="guidance_once_per_key")]

    def __str__(self) -> str:
        return f"{self.flow}: {self.key}"
