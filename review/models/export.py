"""Export: one that the worker writes into a file, for whoever asked to fetch it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import uuid7


class Export(models.Model):
    """`wanted` is a `review.exports.wanted.Wanted` as JSON. Times and the lease are the database's."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("being written")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    wanted = models.JSONField(_("wanted"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.QUEUED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    api_key = models.CharField(max_length=100, blank=True)  # its name, where a key asked
    total = models.PositiveBigIntegerField(null=True, blank=True)  # runs or judgements, as of the beginning
    looked_at = models.PositiveBigIntegerField(default=0)
    rows = models.PositiveBigIntegerField(default=0)
    left_out = models.JSONField(default=dict)  # reason → how many gave no row
    bytes = models.PositiveBigIntegerField(default=0)
    error = models.CharField(max_length=40, blank=True)  # a code
    attempts = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("export")
        verbose_name_plural = _("exports")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="export_state_known"
            )
        ]
        indexes = [models.Index(fields=["id"], name="export_open", condition=Q(state__in=["queued", "running"]))]

    def __str__(self) -> str:
        return f"{self.wanted.get('kind')}.{self.wanted.get('format')}"

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)

    @property
    def share(self) -> int:
        """Per cent of what there was to look at; 0 while that is not known."""
        if self.state == self.State.DONE:
            return 100
        return min(99, 100 * self.looked_at // self.total) if self.total else 0

    @property
    def expires_at(self) -> datetime | None:
        """When its file is deleted; not before it is over."""
        return self.finished_at + timedelta(days=settings.FOLDBACK_KEEP_EXPORTS_DAYS) if self.finished_at else None
