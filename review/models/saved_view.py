"""SavedView: a name for a list's filters, as they stand in its address."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

LONGEST_NAME = 60
LONGEST_QUERY = 2000


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def for_(self, person: User) -> "SavedViewQuerySet":
        """The person's own, and those that are shared with all."""
        return self.filter(Q(owner=person) | Q(shared=True))


class SavedView(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views")
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    query = models.CharField(_("filters"), max_length=LONGEST_QUERY, blank=True)
    shared = models.BooleanField(_("shared with all"), default=False)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_view_name")]
        indexes = [models.Index(fields=["name"], name="saved_view_shared", condition=Q(shared=True))]

    def __str__(self) -> str:
        return self.name
