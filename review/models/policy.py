"""ReviewPolicy: what an admin asks of the reviews of a flow's runs, or of one batch's."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from generation.flows import FLOWS, label_of
from generation.models import Batch

MOST_REVIEWERS = 9


class ReviewPolicy(models.Model):
    """Of a flow or of a batch; the batch's wins. Without one: one reviewer, who sees the judge.

    The database looks it up for each run as it is made and as a round begins (review/panel.sql). A changed one
    holds for every run that nobody has reviewed in its round yet (`review.panel.apply`).
    """

    flow = models.CharField(
        _("flow"), max_length=40, blank=True, help_text=_("All of its runs, but those of a batch with a policy.")
    )
    batch = models.OneToOneField(
        Batch, models.CASCADE, null=True, blank=True, related_name="review_policy", verbose_name=_("batch")
    )
    reviewers = models.PositiveSmallIntegerField(
        _("reviewers"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_REVIEWERS)],
        help_text=_(
            "How many people review each run, none of them knowing what the others say. Where they disagree, an"
            " adjudicator decides."
        ),
    )
    blind_to_judge = models.BooleanField(
        _("blind to the judge"),
        default=False,
        help_text=_("Reviewers see what the automated judge found once they have submitted."),
    )
    four_eyes = models.BooleanField(
        _("four eyes"),
        default=False,
        help_text=_(
            "Nobody approves a run that they had made, or whose record they corrected in an earlier round."
        ),
    )

    class Meta:
        verbose_name = _("review policy")
        verbose_name_plural = _("review policies")
        ordering = ["flow", "batch"]
        constraints = [
            models.CheckConstraint(
                condition=Q(batch__isnull=True, flow__gt="") | Q(batch__isnull=False, flow=""),
                name="reviewpolicy_of_one",
            ),
            models.UniqueConstraint(
                fields=["flow"], name="reviewpolicy_one_per_flow", condition=Q(batch__isnull=True)
            ),
            models.CheckConstraint(
                condition=Q(reviewers__gte=1, reviewers__lte=MOST_REVIEWERS), name="reviewpolicy_reviewers"
            ),
        ]

    def __str__(self) -> str:
        return str(self.batch) if self.batch else label_of(self.flow)

    def clean(self) -> None:
        """Names the field."""
        if self.flow and self.flow not in FLOWS:
            raise ValidationError({"flow": _("There is no flow of this name.")})
        if self.flow and self.batch_id:
            raise ValidationError({"batch": _("Either a flow or a batch, not both.")})
        if not self.flow and not self.batch_id:
            raise ValidationError({"flow": _("Choose a flow, or a batch.")})
        same = ReviewPolicy.objects.filter(flow=self.flow, batch__isnull=True).exclude(pk=self.pk)
        if self.flow and same.exists():
            raise ValidationError({"flow": _("This flow has a policy already; change that one.")})
