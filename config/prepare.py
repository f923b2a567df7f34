"""What a start does once the database answers: migrations, the broker's tables, seeds, the first start's content.

`python -m config.prepare`, run by the supervisor; safe to repeat. It prints the first admin's password
where it made that admin, and nothing else.
"""

import os
import sys
from io import StringIO

import django
from django.core.management import call_command, get_commands
from django.core.management.base import SystemCheckError


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.conf import settings

    from config import broker

    try:
        call_command("check", stdout=StringIO())
    except SystemCheckError as error:
        sys.exit(str(error))
    call_command("migrate", verbosity=0, interactive=False)
    if settings.EMBEDDED_BROKER:
        broker.install()
    call_command("bootstrap")
    first_start()
    if settings.EMBEDDED_DATABASE:
        give_back_leases()


def first_start() -> None:
    """Demo content and the first admin, both or neither: a database that has an admin was started before."""
    from django.contrib.auth import get_user_model
    from django.db import transaction

    if get_user_model().objects.filter(is_superuser=True).exists():
        return
    with transaction.atomic():
        if "demo" in get_commands() and os.environ.get("FOLDBACK_DEMO", "1") not in ("0", "false", "no"):
            call_command("demo")
        call_command("bootstrap", admin=True, stdout=sys.stdout)


def give_back_leases() -> None:
    """Runs that a killed worker held go on at once: on the embedded database no other worker can hold any."""
    from django.db.models.functions import Now

    from generation.models import Run

    held = Run.objects.in_progress().filter(lease_expires_at__isnull=False)
    held.update(lease=None, lease_expires_at=None, next_attempt_at=Now())


if __name__ == "__main__":
    main()
