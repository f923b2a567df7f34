"""Guidance: the texts of the influence map, their versions, and the kept moves of what is live."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Guidance(models.Model):
    """The text that one line of the influence map puts into one stage's placeholder.

    `key` is "signal.stage" ("bad_format.extraction"), flow-wide; `shipped` texts live in `learning/influence/`. A
    text may hold `{names}`, where the line fills names in. `text` is that of the live version, beside it so that
    every prompt reads one row; `learning/guidance.py` alone writes both.
    """

    flow = models.CharField(_("flow"), max_length=40)
    key = models.CharField(_("key"), max_length=100)
    text = models.TextField(_("text"), max_length=2000)
    enabled = models.BooleanField(_("enabled"), default=True)
    live = models.ForeignKey("GuidanceVersion", models.PROTECT, null=True, blank=True, related_name="+")
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


class GuidanceVersion(models.Model):
    """One wording of a guidance text. The database refuses to change it."""

    guidance = models.ForeignKey(Guidance, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(_("number"))
    text = models.TextField(_("text"), max_length=2000)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.CharField(_("note"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("guidance version")
        verbose_name_plural = _("guidance versions")
        ordering = ["guidance", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["guidance", "number"], name="guidanceversion_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="guidanceversion_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.guidance_id}, {self.number}"


class GuidanceMove(models.Model):
    """One change of what speaks: another version, or switched on or off; who, when and why. Append-only."""

    guidance = models.ForeignKey(Guidance, models.PROTECT, related_name="moves")
    from_version = models.ForeignKey(GuidanceVersion, models.PROTECT, null=True, related_name="+")
    to_version = models.ForeignKey(GuidanceVersion, models.PROTECT, related_name="+")
    enabled = models.BooleanField()  # from then on
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    why = models.CharField(_("why"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("move of a guidance text")
        verbose_name_plural = _("moves of guidance texts")
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.guidance_id} → {self.to_version_id}"
