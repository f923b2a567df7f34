"""bootstrap: what every installation needs: groups, live prompts, guidance texts; safe to repeat."""

import secrets
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.db import transaction

SEEDS = ("review.groups", "generation.prompts", "learning.guidance")
ADMIN = "admin"


class Command(BaseCommand):
    help = "Makes groups, prompts and guidance texts where they are missing; with --admin also the first admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--admin",
            action="store_true",
            help=f"make the admin {ADMIN!r} where there is none, and print the password",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            for module in SEEDS:
                import_module(module).seed()
        if options["admin"]:
            self.make_admin()

    def make_admin(self) -> None:
        """Only the password's hash is stored: this is the one time that it is told."""
        users = get_user_model()
        if users.objects.filter(is_superuser=True).exists():
            return
        password = secrets.token_urlsafe(12)
        users.objects.create_superuser(username=ADMIN, password=password)
        self.stdout.write(
            f"First admin: {ADMIN}\nPassword:    {password}\n(told this once; change it in the admin)"
        )
