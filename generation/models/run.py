"""Run: the making of one record, from its source to a person's decision."""

import uuid
from collections.abc import Collection
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.ids import short, uuid7
from generation.models.batch import Batch
from generation.models.category import Institution, Subcategory


class Status(models.TextChoices):
    QUEUED = "queued", _("queued")
    GENERATING = "generating", _("generating")
    REVIEWING = "reviewing", _("being judged")
    FIXING = "fixing", _("being fixed")
    AWAITING_REVIEW = "awaiting_review", _("awaiting review")
    NEEDS_HUMAN_REVIEW = "needs_human_review", _("needs human review")
    FAILED = "failed", _("failed")
    STOPPED = "stopped", _("stopped")
    APPROVED = "approved", _("approved")
    REJECTED = "rejected", _("rejected")


IN_PROGRESS = (Status.QUEUED, Status.GENERATING, Status.REVIEWING, Status.FIXING)
RETRYABLE = (Status.FAILED, Status.STOPPED, Status.REJECTED)


class JudgeOutcome(models.TextChoices):
    PENDING = "pending", _("pending")
    PASSED = "passed", _("passed")
    CORRECTED = "corrected", _("corrected")
    FAILED = "failed", _("failed")
    NEEDS_HUMAN_REVIEW = "needs_human_review", _("needs human review")
    UNAVAILABLE = "unavailable", _("could not judge")
    SKIPPED = "skipped", _("skipped")


class Priority(models.IntegerChoices):
    """Where a run stands among those up for review; the oldest comes first within each."""

    ESCALATED = 0, _("escalated")
    FIRST = 1, _("failed by the judge, chosen from what it passed, or reviewed without knowing")
    REST = 2, _("the rest")
    ASSIGNED = 3, _("assigned to somebody, and offered to nobody else")


class Arm(models.TextChoices):
    GUIDED = "guided", _("guided")
    CONTROL = "control", _("control")


class RunQuerySet(models.QuerySet["Run"]):
    """Reads in the domain's words, and the one conditional write of a status."""

    def up_for_review(self) -> "RunQuerySet":
        """Awaiting a person: judged or escalated, or failed with a draft; and not set aside."""
        return self.filter(UP_FOR_REVIEW)

    def aside(self) -> "RunQuerySet":
        """Taken out of the queue by a person, whatever becomes of them otherwise."""
        return self.filter(set_aside=True)

    def in_progress(self) -> "RunQuerySet":
        return self.filter(status__in=IN_PROGRESS)

    def without_record(self) -> "RunQuerySet":
        """Over, with nothing to review: failed before the first draft, or stopped."""
        return self.filter(WITHOUT_RECORD)

    def reviewed(self) -> "RunQuerySet":
        """Runs with at least one review of a person that counts."""
        return self.filter(last_review_event_id__isnull=False)

    def locked(self, run_id: uuid.UUID) -> "Run":
        """This run, which nobody else changes until the transaction ends. Run.DoesNotExist where there is none.

        By plain SQL, as each submission begins with it: to build the statement took as long as to read the row.
        """
        for run in self.raw("SELECT * FROM generation_run WHERE id = %s FOR NO KEY UPDATE", [run_id]):
            return run
        raise self.model.DoesNotExist

    def move(self, run_id: uuid.UUID, *, to: str, from_: Collection[str], **fields: Any) -> bool:
        """Set the status of a run that is in one of `from_`; False where another was faster."""
        return self.filter(pk=run_id, status__in=from_).update(status=to, changed_at=Now(), **fields) == 1


WITH_RECORD = Q(status__in=[Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW]) | Q(
    status=Status.FAILED, revision__gte=1
)
UP_FOR_REVIEW = Q(set_aside=False) & WITH_RECORD
QUEUE_ORDER = ("priority", "changed_at", "id")
WITHOUT_RECORD = Q(status=Status.FAILED, revision=0) | Q(status=Status.STOPPED)
# Whose judge nobody who may review them knows yet.
HIDES_JUDGE = Q(blind_to_judge=True) & (WITH_RECORD | Q(status__in=IN_PROGRESS))
_SHOWN = Case(
    When(Q(blind_to_judge=True) & WITH_RECORD, then=Value(Status.AWAITING_REVIEW.value)),
    When(
        Q(blind_to_judge=True, status__in=[Status.REVIEWING, Status.FIXING]), then=Value(Status.GENERATING.value)
    ),
    default=F("status"),
)
_PRIORITY = Case(
    When(assigned=True, then=Value(Priority.ASSIGNED.value)),
    When(reviewers_disagree=True, then=Value(Priority.ESCALATED.value)),
    When(blind_to_judge=True, then=Value(Priority.FIRST.value)),  # all alike: their order tells nothing
    When(status=Status.NEEDS_HUMAN_REVIEW, then=Value(Priority.ESCALATED.value)),
    When(
        Q(status=Status.FAILED)
        | Q(judge_outcome__in=[JudgeOutcome.FAILED, JudgeOutcome.UNAVAILABLE, JudgeOutcome.NEEDS_HUMAN_REVIEW])
        | Q(judge_outcome__in=[JudgeOutcome.PASSED, JudgeOutcome.CORRECTED], sampled=True),
        then=Value(Priority.FIRST.value),
    ),
    default=Value(Priority.REST.value),
)


class Run(models.Model):
    """One record in the making. `source`, `options` and `metadata` are stored as given."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    flow = models.CharField(_("flow"), max_length=40)
    subcategory = models.ForeignKey(
        Subcategory, models.PROTECT, null=True, blank=True, related_name="runs", db_index=False
    )
    subcategory_corrected = models.BooleanField(default=False)  # by a reviewer: no stage changes it any more
    institution = models.ForeignKey(
        Institution, models.PROTECT, null=True, blank=True, related_name="runs", db_index=False
    )
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, blank=True, related_name="runs", db_index=False)
    external_id = models.CharField(_("external id"), max_length=200, blank=True)
    title = models.CharField(_("title"), max_length=200, blank=True)  # what people see in lists
    source = models.JSONField(_("source"))
    options = models.JSONField(_("options"), default=dict, blank=True)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)

    status = models.CharField(_("status"), max_length=20, choices=Status, default=Status.QUEUED)
    judge_outcome = models.CharField(
        _("judge's outcome"), max_length=20, choices=JudgeOutcome, default=JudgeOutcome.PENDING
    )
    error = models.JSONField(_("error"), null=True, blank=True)  # {"code", "detail"}: why it ended so
    suspicion = models.CharField(max_length=300, blank=True)  # the newest draft's first finding, for lists
    degradations = models.JSONField(default=list, blank=True)  # learning steps that fell back, by name

    provider = models.CharField(_("provider"), max_length=40, blank=True)
    model = models.CharField(_("model"), max_length=100, blank=True)
    revision = models.PositiveIntegerField(_("revision"), default=0)  # of the newest draft; 0: none yet
    round = models.PositiveIntegerField(_("round"), default=1)
    arm = models.CharField(_("arm"), max_length=10, choices=Arm, default=Arm.GUIDED)
    # The share of the holdout when the arm was drawn; 0: nothing was drawn, and the run is evidence of nothing.
    holdout_share = models.DecimalField(
        _("holdout's share"), max_digits=7, decimal_places=6, default=Decimal(0), db_default=Decimal(0)
    )
    trigger_state = models.JSONField(null=True, blank=True)  # as it was when this round was generated
    first_trigger_state = models.JSONField(null=True, blank=True)  # of the first round, once there is a second
    # What of the window's lessons its prompts held before its first review, by name; empty for the holdout. Rounds
    # that a reviewer asked for leave it as it is.
    guided_by = ArrayField(models.TextField(), default=list, db_default=[], editable=False)

    latest_review = models.JSONField(null=True, blank=True)  # summary for pages; the events are the history
    last_reviewed_at = models.DateTimeField(null=True, blank=True)  # of the last counting event of a person
    last_review_event_id = models.BigIntegerField(null=True, blank=True)  # a value, no key upwards

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )  # who had it made, where that was a person
    # What an admin asks of its reviews. A trigger looks it up where `reviews_needed` is null (review/panel.sql):
    # when the run is made and when a round begins.
    reviews_needed = models.PositiveSmallIntegerField(_("reviews needed"), null=True, blank=True)
    four_eyes = models.BooleanField(_("four eyes"), default=False, db_default=False)
    drawn_blind = models.BooleanField(default=False, db_default=False)  # by lot: blind to the judge all the same
    blind_to_judge = models.BooleanField(_("blind to the judge"), default=False, db_default=False)
    reviews_done = models.PositiveSmallIntegerField(
        _("reviews done"), default=0, db_default=0
    )  # of those, in this round
    reviews_from = models.PositiveIntegerField(null=True, blank=True)  # the sequence of their first event
    reviewers_disagree = models.BooleanField(_("reviewers disagree"), default=False, db_default=False)

    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)

    created_at = models.DateTimeField(_("created"), db_default=Now())
    changed_at = models.DateTimeField(_("changed"), db_default=Now())  # of the status
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)  # generation's end, not the person's

    lease = models.UUIDField(null=True, blank=True)  # the worker's token; times are the database's
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)

    # The queue: no rule ever writes `set_aside` (a person does, with a Placement), nor anything `priority`.
    sampled = models.BooleanField(default=False, db_default=False)  # comes early though the judge passes it
    set_aside = models.BooleanField(_("set aside"), default=False, db_default=False)
    assigned = models.BooleanField(default=False, db_default=False)  # there is an Assignment of it
    priority = models.GeneratedField(
        expression=_PRIORITY, output_field=models.SmallIntegerField(choices=Priority), db_persist=True
    )
    # The status to who must not know what the judge found: what lists, filters and counts go by.
    shown_status = models.GeneratedField(
        expression=_SHOWN, output_field=models.CharField(max_length=20, choices=Status), db_persist=True
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-created_at", "-id"]
        permissions = [("adjudicate_run", "Can review a run that was decided already")]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="run_status_known"),
            models.CheckConstraint(condition=Q(judge_outcome__in=JudgeOutcome.values), name="run_outcome_known"),
            models.CheckConstraint(condition=Q(arm__in=Arm.values), name="run_arm_known"),
            models.CheckConstraint(condition=Q(round__gte=1), name="run_round_from_1"),
            models.CheckConstraint(
                condition=Q(last_reviewed_at__isnull=True, last_review_event_id__isnull=True)
                | Q(last_reviewed_at__isnull=False, last_review_event_id__isnull=False),
                name="run_last_review_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="run_newest"),
            models.Index(fields=["status", "-created_at", "-id"], name="run_by_status"),
            models.Index(fields=["shown_status", "-created_at", "-id"], name="run_by_shown_status"),
            models.Index(fields=["subcategory", "-created_at", "-id"], name="run_by_subcategory"),
            models.Index(
                fields=["batch", "-created_at", "-id"], name="run_by_batch", condition=Q(batch__isnull=False)
            ),
            models.Index(
                fields=["institution"], name="run_by_institution", condition=Q(institution__isnull=False)
            ),
            models.Index(fields=["external_id"], name="run_by_external_id", condition=~Q(external_id="")),
            models.Index(fields=["changed_at", "id"], name="run_queue", condition=UP_FOR_REVIEW),
            models.Index(fields=[*QUEUE_ORDER], name="run_order", condition=UP_FOR_REVIEW),
            models.Index(fields=["subcategory", *QUEUE_ORDER], name="run_order_of", condition=UP_FOR_REVIEW),
            models.Index(fields=["flow", *QUEUE_ORDER], name="run_order_of_flow", condition=UP_FOR_REVIEW),
            models.Index(fields=["changed_at", "id"], name="run_aside", condition=Q(set_aside=True)),
            models.Index(
                fields=["-created_at", "-id"], name="run_in_progress", condition=Q(status__in=IN_PROGRESS)
            ),
            models.Index(fields=["changed_at", "id"], name="run_without_record", condition=WITHOUT_RECORD),
            models.Index(
                fields=["flow", "subcategory", "-last_reviewed_at", "-last_review_event_id"],
                name="run_window",
                condition=Q(last_review_event_id__isnull=False),
            ),
            models.Index(
                fields=["flow", "subcategory", "-last_reviewed_at", "-last_review_event_id"],
                name="run_window_unguided",
                condition=Q(last_review_event_id__isnull=False, guided_by=[]),
            ),
            models.Index(
                fields=["flow", "subcategory", "-last_reviewed_at", "-id"],
                name="run_examples",
                condition=Q(status=Status.APPROVED),
            ),
            models.Index(fields=["next_attempt_at"], name="run_work", condition=Q(status__in=IN_PROGRESS)),
            models.Index(
                fields=["changed_at"],
                name="run_waiting",
                condition=Q(status=Status.QUEUED, next_attempt_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.short_id

    @property
    def short_id(self) -> str:
        return short(self.id)

    @property
    def is_up_for_review(self) -> bool:
        """The same rule as `RunQuerySet.up_for_review`, for a run in hand."""
        return not self.set_aside and self.has_record_to_review

    @property
    def has_record_to_review(self) -> bool:
        """Whether it would be up for review, had nobody set it aside."""
        return self.status in (Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW) or (
            self.status == Status.FAILED and self.revision >= 1
        )

    @property
    def needs_several(self) -> bool:
        """Whether it waits for two or more reviewers, or for whoever decides between them."""
        return (self.reviews_needed or 1) > 1 and self.has_record_to_review

    @property
    def hides_judge(self) -> bool:
        """The same rule as `HIDES_JUDGE`, for a run in hand."""
        return self.blind_to_judge and (self.has_record_to_review or self.is_in_progress)

    @property
    def is_decided(self) -> bool:
        return self.status in (Status.APPROVED, Status.REJECTED)

    @property
    def is_unjudged(self) -> bool:
        """Whether its judge could not judge: neither passed nor failed."""
        return self.judge_outcome == JudgeOutcome.UNAVAILABLE

    @property
    def is_in_progress(self) -> bool:
        return self.status in IN_PROGRESS
