"""Prompts: immutable numbered versions, one live pointer, and the kept history of its moves."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Prompt(models.Model):
    flow = models.CharField(_("flow"), max_length=40)
    stage = models.CharField(_("stage"), max_length=40)
    live = models.ForeignKey(
        "PromptVersion",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("live version"),
    )

    class Meta:
        verbose_name = _("prompt")
        verbose_name_plural = _("prompts")
        ordering = ["flow", "stage"]
        constraints = [models.UniqueConstraint(fields=["flow", "stage"], name="prompt_one_per_stage")]

    def __str__(self) -> str:
        return f"{self.flow} / {self.stage}"


class PromptVersion(models.Model):
    """One wording of a prompt, with its model and parameters. The database refuses to change it."""

    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(_("number"))
    system = models.TextField(_("system prompt"), blank=True)
    user = models.TextField(_("user prompt"))
    model = models.CharField(
        _("model"), max_length=100, blank=True, help_text=_("Empty: the installation's model for this stage.")
    )
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.CharField(_("note"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("prompt version")
        verbose_name_plural = _("prompt versions")
        ordering = ["prompt", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["prompt", "number"], name="promptversion_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="promptversion_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.prompt}, version {self.number}"


class PromptMove(models.Model):
    """One move of a live pointer: who, when, from, to and why. Append-only."""

    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="moves")
    from_version = models.ForeignKey(PromptVersion, models.PROTECT, null=True, related_name="+")
    to_version = models.ForeignKey(PromptVersion, models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    why = models.CharField(_("why"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("move of a live prompt")
        verbose_name_plural = _("moves of live prompts")
        ordering = ["-at", "-id"]
