"""link_person: a person who has an account here signs in at the OpenID Connect provider from now on, too."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Links a person to a subject (the claim sub) of the OpenID Connect provider, instead of whom it was."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the name that signs in here")
        parser.add_argument("subject", help="the claim sub, as the provider's administration shows it")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.OIDC:
            raise CommandError("FOLDBACK_OIDC_ISSUER and FOLDBACK_OIDC_CLIENT_ID are not set")
        from config.oidc.people import LONGEST_SUBJECT, known, link

        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"there is no person {options['name']}")
        if not 0 < len(options["subject"]) <= LONGEST_SUBJECT:
            raise CommandError(f"a subject has 1 to {LONGEST_SUBJECT} characters")
        before = known(options["subject"])
        link(user, options["subject"])
        was = f", and no longer {before}" if before and before != user else ""
        self.stdout.write(f"{options['subject']} signs in as {user}{was}")
