"""What a run leaves behind: drafts, calls, injections and judgements."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models.prompt import PromptVersion
from generation.models.run import Run


class Draft(models.Model):
    """The record at one revision. Append-only: a fix makes the next one.

    `findings` is what the deterministic check found: [{"field", "code", "severity", "detail"}],
    field a JSON pointer into `content`, severity "error" or "warning".
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="drafts")
    revision = models.PositiveIntegerField(_("revision"))
    round = models.PositiveIntegerField(_("round"), default=1)
    content = models.JSONField(_("content"))
    findings = models.JSONField(_("findings"), default=list)
    made_by = models.CharField(_("made by"), max_length=40)  # a stage, or "person"
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        ordering = ["run", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["run", "revision"], name="draft_revision_once"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="draft_revision_from_1"),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision}"


class Asked(models.Model):
    """One request to a provider, as it was sent, and what came back; whose it is says the table."""

    cycle = models.PositiveIntegerField(default=1)
    stage = models.CharField(_("stage"), max_length=40)
    attempt = models.PositiveIntegerField(_("attempt"), default=1)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=100, blank=True)
    system = models.TextField(_("system prompt as sent"), blank=True)
    user = models.TextField(_("user prompt as sent"), blank=True)
    request = models.JSONField(default=dict)  # everything else that was sent: tools, schema name, limits
    answer = models.TextField(_("answer"), blank=True)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cache_read_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    duration_ms = models.PositiveIntegerField(default=0)
    error = models.JSONField(null=True, blank=True)  # {"code", "detail"}
    created_at = models.DateTimeField(_("created"), db_default=Now())
    forgotten_at = models.DateTimeField(_("forgotten"), null=True, blank=True)  # its texts were blanked

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.stage}, attempt {self.attempt}"


class Call(Asked):
    """A run's. One of the same (run, round, cycle, stage, attempt) that has an answer is never made again."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="calls")
    round = models.PositiveIntegerField(default=1)
    prompt_version = models.ForeignKey(PromptVersion, models.PROTECT, null=True, blank=True, related_name="calls")

    class Meta:
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        ordering = ["run", "id"]
        indexes = [models.Index(fields=["created_at"], name="call_kept", condition=Q(forgotten_at__isnull=True))]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "round", "cycle", "stage", "attempt"], name="call_once_per_step"
            )
        ]


class Injection(models.Model):
    """One guidance text as it went into one prompt. Evidence: ids of review events, as values."""

    call = models.ForeignKey(Call, models.CASCADE, related_name="injections")
    position = models.PositiveIntegerField(default=0)
    placeholder = models.CharField(max_length=60)
    guidance_key = models.CharField(max_length=100)
    text = models.TextField()
    # How long the text was, kept where it is forgotten. tokens: by the rule of thumb (generation/tokens.py).
    characters = models.PositiveIntegerField(null=True, blank=True)
    tokens = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=100)  # a signal, a trigger, "notes" or "example"
    evidence = models.JSONField(default=list)

    class Meta:
        verbose_name = _("injection")
        verbose_name_plural = _("injections")
        ordering = ["call", "position"]


class Judgement(models.Model):
    """The stored result of one judging. Append-only.

    `result` holds what the judge said: at least {"feedback": str, "findings": [as in Draft]}.
    """

    class Outcome(models.TextChoices):
        PASSED = "passed", _("passed")
        FAILED = "failed", _("failed")
        UNAVAILABLE = "unavailable", _("could not judge")

    run = models.ForeignKey(Run, models.PROTECT, related_name="judgements")
    draft = models.ForeignKey(Draft, models.PROTECT, null=True, blank=True, related_name="judgements")
    call = models.ForeignKey(Call, models.PROTECT, null=True, blank=True, related_name="+")
    round = models.PositiveIntegerField()
    cycle = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)  # supervisor, criteria, rubric, verdict
    outcome = models.CharField(max_length=20, choices=Outcome)
    prompt_version = models.ForeignKey(PromptVersion, models.PROTECT, null=True, blank=True, related_name="+")
    model = models.CharField(max_length=100, blank=True)
    result = models.JSONField(default=dict)
    correction_applied = models.BooleanField(default=False)
    correction_target = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = _("judgement")
        verbose_name_plural = _("judgements")
        ordering = ["run", "id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "round", "cycle"], name="judgement_once_per_cycle"),
            models.CheckConstraint(
                condition=Q(outcome__in=["passed", "failed", "unavailable"]), name="judgement_outcome_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.outcome}"
