"""Requests that wait for the provider's batch interface, and what was handed to it. Both hold open work alone."""

from decimal import Decimal

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import uuid7
from generation.models.prompt import PromptVersion
from generation.models.run import Run


class Submission(models.Model):
    """Requests that were handed to a provider together; `name` is theirs for it, empty until they have told it.

    Kept when it is over, for operators: its requests are calls by then.
    """

    class State(models.TextChoices):
        SENDING = "sending", _("being sent")  # or sent, and its name not stored: recovering.py finds out
        WAITING = "waiting", _("waiting at the provider")
        OVER = "over", _("over")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    provider = models.CharField(_("provider"), max_length=40)
    name = models.CharField(_("the provider's name for it"), max_length=200, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.SENDING)
    requests = models.PositiveIntegerField(_("requests"))
    cancelled = models.BooleanField(_("cancelled"), default=False)  # the provider was asked to stop it
    created_at = models.DateTimeField(_("created"), db_default=Now())
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)  # until then one worker has it

    class Meta:
        verbose_name = _("batch at the provider")
        verbose_name_plural = _("batches at the provider")
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["provider", "name"], name="submission_once", condition=~Q(name="")),
        ]
        indexes = [models.Index(fields=["created_at"], name="submission_open", condition=~Q(state="over"))]

    def __str__(self) -> str:
        return self.name or str(self.id)


class DeferredCall(models.Model):
    """A request that a run waits for: gone once its answer is a Call.

    The id is the provider's `custom_id` of it. parcel: all that is sent and kept beside it (`parcel.py`). turns:
    the answer so far, where the provider paused, each a list of content blocks; used: what that took. error: of a
    request that failed, until this attempt at its run is over.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("to be sent")
        SENT = "sent", _("at the provider")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="deferred_calls", db_index=False)
    round = models.PositiveIntegerField()
    cycle = models.PositiveIntegerField()
    stage = models.CharField(max_length=40)
    number = models.PositiveIntegerField()  # as `Work.ask` counts the answers of a stage
    provider = models.CharField(max_length=40)
    prompt_version = models.ForeignKey(PromptVersion, models.PROTECT, related_name="+")
    parcel = models.JSONField()
    size = models.PositiveIntegerField()  # bytes of the parcel, about what is sent
    turns = models.JSONField(default=list)
    used = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    submission = models.ForeignKey(Submission, models.PROTECT, null=True, related_name="deferred_calls")
    reserved_usd = models.DecimalField(max_digits=12, decimal_places=6, default=Decimal(0))
    error = models.JSONField(null=True)  # {"code", "detail", "retryable"}
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "round", "cycle", "stage", "number"], name="deferredcall_once_per_step"
            )
        ]
        indexes = [
            models.Index(fields=["created_at", "id"], name="deferredcall_waiting", condition=Q(state="waiting"))
        ]

    def __str__(self) -> str:
        return f"{self.stage}, {self.get_state_display()}"
