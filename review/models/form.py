"""ReviewForm: what a reviewer fills, half-filled or submitted."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Draft, Run, Subcategory
from review.models.event import ReviewEvent
from review.models.signals import Decision, Signals


class ReviewForm(Signals):
    """One person's (or service's) review of one round of a run.

    `before` holds the run's fields as the submission found them, so that undoing can put them back
    (`review/undoing.py` has the list). `values` holds the corrected ones, JSON pointer → what shall stand there
    (`review/correcting.py`); `corrected` the draft that came of them.
    """

    class State(models.TextChoices):
        HALF_FILLED = "half_filled", _("half-filled")
        SUBMITTED = "submitted", _("submitted")

    run = models.ForeignKey(Run, models.PROTECT, related_name="review_forms")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="review_forms"
    )
    service = models.CharField(max_length=100, blank=True)
    round = models.PositiveIntegerField(_("round"), default=1)
    revision = models.PositiveIntegerField(_("revision"), default=0)  # of the draft that was looked at
    decision = models.CharField(_("decision"), max_length=10, choices=Decision, blank=True)
    subcategory = models.ForeignKey(
        Subcategory,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("Where it was corrected."),
    )
    values = models.JSONField(_("corrected values"), default=dict, blank=True)
    corrected = models.ForeignKey(Draft, models.PROTECT, null=True, blank=True, related_name="+")
    before = models.JSONField(default=dict, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.HALF_FILLED)
    saved_at = models.DateTimeField(_("saved"), db_default=Now())
    submitted_at = models.DateTimeField(_("submitted"), null=True, blank=True)
    event = models.OneToOneField(ReviewEvent, models.PROTECT, null=True, blank=True, related_name="form")

    class Meta:
        verbose_name = _("review form")
        verbose_name_plural = _("review forms")
        ordering = ["-saved_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "reviewer", "round", "service"],
                name="reviewform_one_per_reviewer_and_round",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(state="half_filled", event__isnull=True, submitted_at__isnull=True)
                | Q(state="submitted", submitted_at__isnull=False, decision__in=Decision.values),
                name="reviewform_submitted_whole",
            ),
        ]
        indexes = [
            models.Index(
                fields=["submitted_at"],
                name="reviewform_without_event",
                condition=Q(state="submitted", event__isnull=True),
            )
        ]

    @property
    def left_at(self) -> int:
        """The run's revision after this review, until its next round makes one."""
        return self.corrected.revision if self.corrected else self.revision

    @property
    def version(self) -> str:
        return self.saved_at.isoformat()

    def __str__(self) -> str:
        return f"{self.run}, round {self.round}"
