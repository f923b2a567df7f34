"""The structured fields of a review, shared by the form and the event."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from generation.models import Status

# The yes/no/unset signals in the order of the form and of the keys 1 to 4.
SIGNALS = ("information_present", "bad_format", "wrong_information", "wrong_physical_dimensions")


class Decision(models.TextChoices):
    APPROVE = "approve", _("approve")
    REVISE = "revise", _("revise")
    REJECT = "reject", _("reject")


# What a decision makes of its run; `revise` starts the next round instead.
DECIDED = {Decision.APPROVE: Status.APPROVED, Decision.REJECT: Status.REJECTED}


class Signals(models.Model):
    """Null is unset: the reviewer said neither yes nor no."""

    information_present = models.BooleanField(_("information present"), null=True, blank=True)
    bad_format = models.BooleanField(_("bad format"), null=True, blank=True)
    wrong_information = models.BooleanField(_("wrong information"), null=True, blank=True)
    wrong_physical_dimensions = models.BooleanField(_("wrong physical dimensions"), null=True, blank=True)
    missing_spec = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    notes = models.TextField(_("notes"), max_length=4000, blank=True)

    class Meta:
        abstract = True
