"""BulkAct: one thing done to many runs, so many at a time; what became of it, for the page that follows it."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class BulkAct(models.Model):
    """`wanted`: {"runs": [ids]} or {"query": the list's address}, with what the act itself needs."""

    class Kind(models.TextChoices):
        ASSIGN = "assign", _("assign")
        RETRY = "retry", _("retry")
        CANCEL = "cancel", _("cancel")
        SET_ASIDE = "set_aside", _("set aside")
        PUT_BACK = "put_back", _("put back")

    kind = models.CharField(max_length=10, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    wanted = models.JSONField(default=dict)
    total = models.PositiveIntegerField(default=0)  # runs that it was confirmed for
    looked_at = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)  # runs whose state does not allow it, any more
    cursor = models.TextField(blank=True)  # where it goes on, should it be killed
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("bulk act")
        verbose_name_plural = _("bulk acts")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["id"], name="bulk_unfinished", condition=models.Q(finished_at__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.total}"
