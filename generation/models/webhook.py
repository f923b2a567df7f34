"""Webhooks: who is told, what was told, and how each telling went."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import uuid7
from generation.webhooks import address

TYPES = {
    "run.finished": _("Generating a run ended, however it ended."),
    "run.needs_human_review": _("A run ended with a record that its judge leaves to a person."),
    "review.recorded": _("A review was submitted, taken back or left out of learning."),
    "trigger.changed": _("A subcategory's triggers fire differently than was told last."),
    "prompt.activated": _("A version of a prompt went live."),
}
TEST = "webhook.test"  # to one endpoint, when an admin asks for it


def target(url: str) -> None:
    """Django's validator of addresses; whether they lead inside is checked again at each attempt."""
    try:
        address.parse(url)
    except address.Refused as refusal:
        raise ValidationError(str(refusal)) from None


class WebhookEndpoint(models.Model):
    """One receiver. Its secret is derived from the installation's key, this id and `secret_number`; never stored.

    `lease` and `busy_until`: the worker that sends to it now. `failures`: attempts in a row that failed, since
    `failing_since`; the endpoint as a whole rests until `resting_until`. All times are the database's.
    """

    class Why(models.TextChoices):
        """Why it was switched off by us; empty where a person did it."""

        GONE = "gone", _("it answered 410: it wants no more")
        FAILING = "failing", _("it failed for days")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    url = models.CharField(_("address"), max_length=500, validators=[target])
    description = models.CharField(_("description"), max_length=200, blank=True)
    types = ArrayField(models.CharField(max_length=40), verbose_name=_("events"))
    enabled = models.BooleanField(_("enabled"), default=True)
    switched_off = models.CharField(_("switched off"), max_length=10, choices=Why, blank=True, default="")
    secret_number = models.PositiveIntegerField(default=1)
    rotated_at = models.DateTimeField(_("secret changed"), null=True, blank=True)
    failures = models.PositiveIntegerField(_("failures in a row"), default=0)
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    resting_until = models.DateTimeField(_("resting until"), null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True)
    busy_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("webhook endpoint")
        verbose_name_plural = _("webhook endpoints")
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return self.description or self.origin

    @property
    def origin(self) -> str:
        """Its address without the path, which may be as good as a secret."""
        return "/".join(self.url.split("/", 3)[:3])


class WebhookMessage(models.Model):
    """What happened, once for all endpoints. Its id is the `webhook-id` of every attempt. Never changed."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    type = models.CharField(_("event"), max_length=40)
    data = models.JSONField(_("data"))
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("webhook message")
        verbose_name_plural = _("webhook messages")
        ordering = ["-id"]
        indexes = [models.Index(fields=["created_at"], name="webhookmessage_kept")]

    def __str__(self) -> str:
        return self.type


class WebhookDelivery(models.Model):
    """One message on its way to one endpoint. `last_error` is a code of `generation/webhooks/sending.py`."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("given up")

    message = models.ForeignKey(WebhookMessage, models.CASCADE, related_name="deliveries", db_index=False)
    endpoint = models.ForeignKey(WebhookEndpoint, models.PROTECT, related_name="deliveries", db_index=False)
    state = models.CharField(
        _("state"), max_length=10, choices=State, default=State.WAITING, db_default=State.WAITING
    )
    attempts = models.PositiveIntegerField(_("attempts"), default=0, db_default=0)
    next_attempt_at = models.DateTimeField(_("next attempt"), null=True, blank=True, db_default=Now())
    last_status = models.PositiveIntegerField(_("last answer"), null=True, blank=True)
    last_error = models.CharField(_("last error"), max_length=20, blank=True, default="", db_default="")
    last_duration_ms = models.PositiveIntegerField(_("took (ms)"), null=True, blank=True)
    last_attempt_at = models.DateTimeField(_("last attempt"), null=True, blank=True)
    delivered_at = models.DateTimeField(_("delivered"), null=True, blank=True)

    class Meta:
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["message", "endpoint"], name="webhookdelivery_once"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "delivered", "failed"]), name="webhookdelivery_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", next_attempt_at__isnull=False)
                | ~Q(state="waiting") & Q(next_attempt_at__isnull=True),
                name="webhookdelivery_next_while_waiting",
            ),
        ]
        indexes = [
            models.Index(
                fields=["endpoint", "next_attempt_at", "id"],
                name="webhookdelivery_due",
                condition=Q(state="waiting"),
            ),
            models.Index(fields=["endpoint", "-id"], name="webhookdelivery_of"),
            models.Index(fields=["-id"], name="webhookdelivery_failed", condition=Q(state="failed")),
        ]

    def __str__(self) -> str:
        return f"{self.message_id}"
