"""What admins set in learning: guidance texts, merged field names and off switches."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Subcategory


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


class ToldTriggers(models.Model):
    """Which triggers fired when others were last told of them: `trigger.changed` tells the difference."""

    flow = models.CharField(max_length=40)
    subcategory = models.ForeignKey(Subcategory, models.CASCADE, related_name="+")
    fired = ArrayField(models.CharField(max_length=60), default=list)
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "subcategory"], name="toldtriggers_once")]
