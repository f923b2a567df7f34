"""Backtest: thresholds that somebody thinks of, tried on the reviews that there are."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from generation.models import Category, Subcategory


class Backtest(models.Model):
    """Nothing but its own row is ever written by one; learning reads none of them.

    of_ten: as in `ThresholdSet`, which it becomes where it is saved; based_on: the newest set of the place when it
    was begun. result: subcategory's id → `learning.studio.backtest.Result` as JSON, a part at a time.
    """

    flow = models.CharField(_("flow"), max_length=40)
    category = models.ForeignKey(Category, models.CASCADE, null=True, blank=True, related_name="+")
    subcategory = models.ForeignKey(Subcategory, models.CASCADE, null=True, blank=True, related_name="+")
    policy = models.CharField(_("policy"), max_length=20, default="window")
    of_ten = models.JSONField(default=dict, blank=True)
    based_on = models.BigIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    total = models.PositiveIntegerField(default=0)  # events to go through
    done = models.PositiveIntegerField(default=0)  # of the parts that are whole, and of the one under way
    result = models.JSONField(default=dict, blank=True)
    saved = models.ForeignKey("ThresholdSet", models.PROTECT, null=True, blank=True, related_name="+")
    error = models.CharField(max_length=100, blank=True)
    lease = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("backtest")
        verbose_name_plural = _("backtests")
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], name="backtest_unfinished", condition=Q(finished_at__isnull=True))]

    def __str__(self) -> str:
        return f"{self.flow}: {self.subcategory or self.category}"
