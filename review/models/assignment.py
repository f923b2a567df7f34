"""Assignment: a run kept for one person, by another, until a time; then it is everybody's again."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Run


class Assignment(models.Model):
    """`Run.assigned` says whether there is one; both are written together (review/assigning.py)."""

    run = models.OneToOneField(Run, models.CASCADE, related_name="assignment")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(_("assigned"), db_default=Now())
    until = models.DateTimeField(_("until"))

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        ordering = ["until"]
        indexes = [
            models.Index(fields=["person", "id"], name="assignment_of"),
            models.Index(fields=["until"], name="assignment_until"),
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.person}"
