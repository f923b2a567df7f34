"""The git repositories in which agents may work: those that an admin registered, and no other."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Repository(models.Model):
    """Read, never written: agents work in worktrees of their own, and their changes are stored as records."""

    name = models.CharField(
        _("name"),
        max_length=100,
        unique=True,
        validators=[RegexValidator(r"\A[\w][\w./-]*\Z", _("Letters, digits, and . / - _ between them."))],
        help_text=_("What runs call it: source.repository."),
    )
    path = models.CharField(
        _("path"),
        max_length=500,
        validators=[RegexValidator(r"\A/[^\n]*\Z", _("A path from the root on, such as /srv/shop."))],
        help_text=_("Its folder on the machines of web processes and workers."),
    )
    branch = models.CharField(
        _("branch"),
        max_length=200,
        blank=True,
        validators=[RegexValidator(r"\A[^-]", _("No branch begins with a dash."))],
        help_text=_("Where changes begin. Empty: what is checked out."),
    )
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
