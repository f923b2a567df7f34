"""Trials: a version of a prompt tried on past runs. Their tables are their own: nothing here is a run."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import short, uuid7
from generation.models.category import Subcategory
from generation.models.prompt import PromptVersion
from generation.models.run import IN_PROGRESS, JudgeOutcome, Run, Status
from generation.models.trail import Asked


class Trial(models.Model):
    """estimate_usd: what its runs' own calls would cost today; null where nothing is known of them."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(PromptVersion, models.PROTECT, related_name="trials")
    subcategory = models.ForeignKey(Subcategory, models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    estimate_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    stopped_at = models.DateTimeField(null=True)  # by a person, before it was over

    class Meta:
        verbose_name = _("trial")
        verbose_name_plural = _("trials")
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return _("Trial %(id)s of %(version)s") % {"id": short(self.id), "version": self.version}


class TriedRun(models.Model):
    """One past run, made again with the version: what a run keeps in tables of its own, in one row.

    drafts: [{"revision", "content", "findings", "made_by"}]; judgements: [{"cycle", "revision", "kind", "outcome",
    "result", "correction_target", "call"}], the oldest first. stage: the one it is in, while it is worked on.
    """

    trial = models.ForeignKey(Trial, models.PROTECT, related_name="runs")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    status = models.CharField(max_length=20, choices=Status, default=Status.QUEUED)
    judge_outcome = models.CharField(max_length=20, choices=JudgeOutcome, default=JudgeOutcome.PENDING)
    error = models.JSONField(null=True)  # {"code", "detail"}: why it ended so, or waits
    stage = models.CharField(max_length=40, blank=True)
    subcategory = models.ForeignKey(Subcategory, models.PROTECT, null=True, related_name="+")
    drafts = models.JSONField(default=list)
    judgements = models.JSONField(default=list)
    trigger_state = models.JSONField(null=True)

    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=Decimal(0))

    changed_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    lease = models.UUIDField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("tried run")
        verbose_name_plural = _("tried runs")
        ordering = ["trial", "position"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "run"], name="triedrun_once"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="triedrun_status_known"),
        ]
        indexes = [models.Index(fields=["id"], name="triedrun_open", condition=Q(status__in=IN_PROGRESS))]

    def __str__(self) -> str:
        return str(self.run)

    @property
    def is_over(self) -> bool:
        return self.status not in IN_PROGRESS


class TrialCall(Asked):
    """A call of a tried run. injections: [{"placeholder", "guidance_key", "text", "reason", "evidence"}]."""

    tried = models.ForeignKey(TriedRun, models.PROTECT, related_name="calls")
    prompt_version = models.ForeignKey(PromptVersion, models.PROTECT, null=True, related_name="+")
    injections = models.JSONField(default=list)

    class Meta:
        verbose_name = _("call of a trial")
        verbose_name_plural = _("calls of trials")
        ordering = ["tried", "id"]
        indexes = [
            models.Index(fields=["created_at"], name="trialcall_kept", condition=Q(forgotten_at__isnull=True))
        ]
        constraints = [
            models.UniqueConstraint(fields=["tried", "cycle", "stage", "attempt"], name="trialcall_once_per_step")
        ]
