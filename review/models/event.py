"""ReviewEvent: the append-only history that learning reads. The database refuses any change."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Draft, Run
from generation.models.run import WITH_RECORD
from review.models.signals import Decision, Signals

# The run of an event, where it is one of those that wait for others (`foldback_unsettled` in review/panel.sql).
WAITING = Run.objects.filter(WITH_RECORD, pk=models.OuterRef("run"), reviews_from__lte=models.OuterRef("sequence"))


class ReviewEventQuerySet(models.QuerySet["ReviewEvent"]):
    """Reads in the domain's words."""

    def standing(self) -> "ReviewEventQuerySet":
        """Submitted reviews that were not undone."""
        undone = ReviewEvent.objects.filter(undoes=models.OuterRef("pk"), kind=ReviewEvent.Kind.UNDONE)
        return self.filter(~models.Exists(undone), kind=ReviewEvent.Kind.SUBMITTED)

    def settled(self) -> "ReviewEventQuerySet":
        """Without those of a run that still waits for other reviewers, or for who decides between them."""
        return self.filter(~models.Exists(WAITING))

    def visible_to(self, user: User | None) -> "ReviewEventQuerySet":
        """What this person may know of: while others may still review a run, their own reviews of it alone."""
        return self if user is None else self.filter(Q(reviewer=user) | ~models.Exists(WAITING))

    def counting(self) -> "ReviewEventQuerySet":
        """What learning may read: a person's submitted reviews, settled, neither undone nor left out."""
        taken_back = ReviewEvent.objects.filter(undoes=models.OuterRef("pk"))
        return self.settled().filter(
            ~models.Exists(taken_back), kind=ReviewEvent.Kind.SUBMITTED, source=ReviewEvent.Source.PERSON
        )


class ReviewEvent(Signals):
    """A submitted review, or an event that takes one back.

    `undone` takes the review away altogether; `left_out` leaves the decision and takes it out of
    learning alone. Both name the review in `undoes`. `corrections` holds structured differences:
    {"subcategory": {"from": slug|null, "to": slug}, "values": [{"pointer", "label", "from", "to"}]}, either only
    where something was corrected.
    """

    class Kind(models.TextChoices):
        SUBMITTED = "submitted", _("submitted")
        UNDONE = "undone", _("undone")
        LEFT_OUT = "left_out", _("left out of learning")

    class Source(models.TextChoices):
        PERSON = "person", _("person")
        MACHINE = "machine", _("machine")

    run = models.ForeignKey(Run, models.PROTECT, related_name="review_events")
    draft = models.ForeignKey(Draft, models.PROTECT, null=True, blank=True, related_name="review_events")
    round = models.PositiveIntegerField(_("round"), default=1)
    sequence = models.PositiveIntegerField(_("sequence"))
    kind = models.CharField(_("kind"), max_length=10, choices=Kind, default=Kind.SUBMITTED)
    undoes = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="undone_by")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="review_events"
    )
    service = models.CharField(_("service"), max_length=100, blank=True)  # the API key's name where no person acts
    source = models.CharField(_("source"), max_length=10, choices=Source, default=Source.PERSON)
    blind = models.BooleanField(_("blind"), default=False)  # to the other reviewers, or to the judge
    blind_to_judge = models.BooleanField(_("blind to the judge"), default=False, db_default=False)
    decision = models.CharField(_("decision"), max_length=10, choices=Decision, blank=True)
    corrections = models.JSONField(_("corrections"), default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    objects = ReviewEventQuerySet.as_manager()

    class Meta:
        verbose_name = _("review event")
        verbose_name_plural = _("review events")
        ordering = ["run", "sequence"]
        permissions = [("leave_out_reviewevent", "Can leave a review out of learning")]
        constraints = [
            models.UniqueConstraint(fields=["run", "sequence"], name="reviewevent_sequence_once"),
            models.UniqueConstraint(
                fields=["undoes", "kind"], name="reviewevent_undone_once", condition=Q(undoes__isnull=False)
            ),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="reviewevent_sequence_from_1"),
            models.CheckConstraint(
                condition=Q(kind="submitted", undoes__isnull=True, decision__in=Decision.values)
                | Q(kind__in=["undone", "left_out"], undoes__isnull=False, decision=""),
                name="reviewevent_kind_whole",
            ),
            models.CheckConstraint(
                condition=Q(source="machine") | Q(reviewer__isnull=False), name="reviewevent_person_named"
            ),
        ]
        indexes = [
            models.Index(fields=["created_at", "id"], name="reviewevent_by_time"),
            models.Index(fields=["reviewer", "-created_at"], name="reviewevent_by_reviewer"),
            models.Index(fields=["reviewer", "run"], name="reviewevent_runs_of", condition=Q(kind="submitted")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"
