"""`create_api_key NAME`: makes a key for the REST API and prints it, alone, this once."""

import re
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from generation import clock
from generation.access import DEFAULT_SCOPES, make_key
from generation.errors import BadInput

REVIEWER_GROUP = "reviewer"


class Command(BaseCommand):
    help = "Makes a key for the REST API and prints it on standard output; only its hash is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what the key is for, as lists show it")
        parser.add_argument(
            "--user",
            default="",
            metavar="NAME",
            help="whom the key acts for (made as a reviewer without a password where unknown); "
            "without one the key is a service, whose reviews teach nothing",
        )
        parser.add_argument(
            "--scopes",
            default=",".join(DEFAULT_SCOPES),
            help="of read,write,review,admin, with commas; default: %(default)s",
        )
        parser.add_argument(
            "--expires",
            default="",
            metavar="WHEN",
            help="when it ends: in so many days or hours (90d, 12h), or a date or time in UTC (2027-01-31)",
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        name: str = options["name"].strip()
        scopes = [scope.strip() for scope in options["scopes"].split(",") if scope.strip()]
        if not 1 <= len(name) <= 100:
            raise CommandError("NAME: give 1 to 100 characters.")
        user = self._person(options["user"], admin="admin" in scopes) if options["user"] else None
        try:
            _key, secret = make_key(name, user=user, scopes=scopes, expires_at=self._end(options["expires"]))
        except BadInput as error:
            raise CommandError(str(error)) from error
        self.stdout.write(secret)

    def _end(self, said: str) -> datetime | None:
        if not said:
            return None
        if found := re.fullmatch(r"([0-9]{1,5})([dh])", said):
            return clock.now() + timedelta(**{{"d": "days", "h": "hours"}[found[2]]: int(found[1])})
        try:
            at = datetime.fromisoformat(said)
        except ValueError:
            raise CommandError("--expires: give 90d, 12h, or a date or time as 2027-01-31.") from None
        return at if at.tzinfo else at.replace(tzinfo=UTC)

    def _person(self, username: str, *, admin: bool) -> User:
        if not User.objects.filter(username=username).exists():
            try:
                User._meta.get_field("username").clean(username, None)
            except ValidationError as error:
                raise CommandError(f"--user: {' '.join(error.messages)}") from error
        user, is_new = User.objects.get_or_create(username=username)
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
            user.groups.add(Group.objects.get_or_create(name=REVIEWER_GROUP)[0])
            self.stderr.write(f"{username} was unknown and is now a reviewer without a password.")
        if admin and not (user.is_staff and user.is_superuser):
            user.is_staff = user.is_superuser = True
            user.save(update_fields=["is_staff", "is_superuser"])
            self.stderr.write(f"{username} is now an admin.")
        if not user.is_active:
            raise CommandError(f"{username} is not active; a key for them would be refused.")
        return user
