"""API keys: only a hash is stored; a key with a user acts for that person."""

import hashlib
import secrets

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

SCOPES = ("read", "write", "review", "admin")


class ApiKey(models.Model):
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("prefix"), max_length=12)  # tells keys apart in lists; no secret
    hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="api_keys",
        help_text=_("Whose reviews its reviews are. Without one it is a service, whose reviews teach nothing."),
    )  # fmt: skip
    scopes = ArrayField(models.CharField(max_length=10), verbose_name=_("scopes"))
    created_at = models.DateTimeField(_("created"), db_default=Now())
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @staticmethod
    def digest(key: str) -> str:
        """SHA-256 is enough here: the key has 256 random bits, there is nothing to guess."""
        return hashlib.sha256(key.encode()).hexdigest()

    @staticmethod
    def new_secret() -> str:
        return f"fb_{secrets.token_urlsafe(32)}"


class ApiKeyUse(models.Model):
    """How many calls a key made in its latest minute, by database time: one row per key."""

    api_key = models.OneToOneField(ApiKey, models.CASCADE, primary_key=True, related_name="use")
    minute = models.DateTimeField()
    count = models.PositiveIntegerField()


class SignInCount(models.Model):
    """How many sign-ins failed, or are under way, since `began_at`, by database time. No name and no address:
    `key` is a keyed hash of them."""

    key = models.CharField(max_length=64, primary_key=True)
    began_at = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField()
