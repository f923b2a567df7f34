"""Proposal: a sentence for a base prompt, with what speaks for it, and what a person decided about it."""

from decimal import Decimal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import PromptVersion, Subcategory

LONGEST_TEXT = 1000  # characters; what a person may make of a sentence or two
LONGEST_WHY = 500


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Reads in the domain's words."""

    def open(self) -> "ProposalQuerySet":
        return self.filter(state=Proposal.State.OPEN)

    def unwritten(self) -> "ProposalQuerySet":
        """Open ones whose text is still to be asked for."""
        return self.open().filter(wording=Proposal.Wording.WAITING)


class Proposal(models.Model):
    """What learning proposes to say in one stage's prompt from now on.

    `signal` is a flag of `window.RAISED_BY` or "missing_spec", then with the `field`; `field_key` is that folded.
    `figures` holds what the rule counted, one per subcategory: [{"subcategory": id, "count", "of", "threshold",
    "cells": [[run id, raised]]}], oldest run first. `events` are the ids of the reviews behind it, as values.
    `request` and `answer` are there where a provider was asked, `failure` says why its answer is not the text.
    """

    class Cause(models.TextChoices):
        CAME_BACK = "came_back", _("came back although its guidance was sent")
        STILL_MISSING = "still_missing", _("still missing although it was asked for")
        STAYED_ON = "stayed_on", _("stayed on for long")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")

    class Wording(models.TextChoices):
        WAITING = "waiting", _("a template, until the provider has answered")
        TEMPLATE = "template", _("a template")
        PROVIDER = "provider", _("a provider")

    flow = models.CharField(_("flow"), max_length=40)
    stage = models.CharField(_("stage"), max_length=40)
    subcategory = models.ForeignKey(
        Subcategory,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("None where several show the same."),
    )
    cause = models.CharField(_("cause"), max_length=20, choices=Cause)
    signal = models.CharField(_("signal"), max_length=40)
    field = models.CharField(_("field"), max_length=80, blank=True)
    field_key = models.CharField(max_length=80, blank=True)
    text = models.TextField(_("text"), max_length=LONGEST_TEXT)
    figures = models.JSONField(default=list)
    events = ArrayField(models.BigIntegerField(), default=list)

    wording = models.CharField(_("written by"), max_length=10, choices=Wording)
    asked_at = models.DateTimeField(null=True, blank=True)  # by whoever asks the provider just now
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=100, blank=True)
    request = models.JSONField(default=dict, blank=True)  # {"system", "user", and what else was sent}
    answer = models.TextField(blank=True)
    failure = models.CharField(max_length=40, blank=True)  # a code
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=Decimal(0))

    state = models.CharField(_("state"), max_length=10, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    objects = ProposalQuerySet.as_manager()

    class Meta:
        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "stage", "signal", "field_key"],
                name="proposal_one_open",
                condition=Q(state="open"),
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "accepted", "declined"]), name="proposal_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["flow", "stage", "signal", "field_key", "-id"], name="proposal_of"),
            models.Index(fields=["state", "-id"], name="proposal_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.flow} / {self.stage}: {self.field or self.signal}"


class ProposalDecision(models.Model):
    """What a person made of a proposal. Append-only: the database refuses UPDATE, DELETE and TRUNCATE."""

    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="decisions")
    state = models.CharField(
        _("decision"), max_length=10, choices=[choice for choice in Proposal.State.choices if choice[0] != "open"]
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    why = models.CharField(_("why"), max_length=LONGEST_WHY, blank=True)
    text = models.TextField(_("text"), max_length=LONGEST_TEXT, blank=True)  # as it was accepted
    version = models.ForeignKey(PromptVersion, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        verbose_name = _("decision about a proposal")
        verbose_name_plural = _("decisions about proposals")
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="accepted", version__isnull=False) | Q(state="declined", version__isnull=True),
                name="proposaldecision_whole",
            )
        ]

    def __str__(self) -> str:
        return f"{self.proposal_id}: {self.state}"
