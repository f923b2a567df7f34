"""What running the application needs to remember: live progress, spend, heartbeats, idempotency."""

from django.db import models
from django.db.models.functions import Now

from generation.models.access import ApiKey
from generation.models.run import Run


class NodeEvent(models.Model):
    """Live progress: a stage or judge was entered or completed, or the status changed."""

    class Kind(models.TextChoices):
        NODE_ENTER = "node_enter"
        NODE_COMPLETE = "node_complete"
        STATUS = "status"

    run = models.ForeignKey(Run, models.PROTECT, related_name="node_events")
    kind = models.CharField(max_length=15, choices=Kind)
    node = models.CharField(max_length=40)  # a stage, a judge's kind, or the status
    badge = models.CharField(max_length=10, blank=True)  # REVIEW or FIX
    round = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)  # the cycle within the round
    detail = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["run", "id"]


class DailySpend(models.Model):
    """What calls cost on one day (UTC), added up as they finish, so that the cap reads one row."""

    day = models.DateField(primary_key=True)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=6, default=0)


class WorkerHeartbeat(models.Model):
    """The last sign of life of a worker, by database time; readiness asks for a fresh one."""

    worker = models.CharField(max_length=200, primary_key=True)
    seen_at = models.DateTimeField(db_default=Now())


class IdempotencyKey(models.Model):
    """A creation that was answered: the same key and body give the same again (generation/idempotency.py)."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE)
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    made = models.JSONField(default=dict)  # ids of what was made
    created_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="idempotencykey_once")]
