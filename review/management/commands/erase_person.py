"""erase_person: a person's name and account go, their reviews stay under a number."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from review.erasing import erase


class Command(BaseCommand):
    help = (
        "Deactivates a person and erases name, mail address, sessions and keys; reviews stay, as erased-<number>."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the name that signs in")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"]).first()
        if person is None:
            raise CommandError(f"there is no person {options['name']}")
        others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
        if person.is_superuser and not others.exists():
            raise CommandError(f"{options['name']} is the last admin: make another first")
        self.stdout.write(f"{options['name']} is {erase(person)} from now on")
