"""allauth's two apps with their tables, and without their pages, mails, middleware and administration."""

from django.apps import AppConfig
from django.contrib import admin


class Accounts(AppConfig):
    """Its own `ready` asks for a middleware that serves its pages; none of them is reachable here."""

    name = "allauth.account"
    default_auto_field = "django.db.models.AutoField"  # as its migrations have it


class SocialAccounts(AppConfig):
    name = "allauth.socialaccount"
    default_auto_field = "django.db.models.AutoField"

    def ready(self) -> None:
        """After `django.contrib.admin`: a second provider, or a link, is not made by hand there."""
        from allauth.account.models import EmailAddress
        from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken

        for model in (EmailAddress, SocialAccount, SocialApp, SocialToken):
            if admin.site.is_registered(model):
                admin.site.unregister(model)
