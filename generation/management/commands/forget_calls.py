"""forget_calls: blank prompts and answers of old calls now."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from generation.forgetting import forget_calls

MOST_DAYS = 36_500  # a hundred years; what no date can hold is refused


class Command(BaseCommand):
    help = "Blanks prompts and answers of calls older than so many days; default: FOLDBACK_KEEP_CALLS_DAYS."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, default=settings.FOLDBACK_KEEP_CALLS_DAYS, help=f"1 to {MOST_DAYS}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["days"] < 1:
            raise CommandError("nothing was blanked: give --days, or set FOLDBACK_KEEP_CALLS_DAYS")
        if options["days"] > MOST_DAYS:
            raise CommandError(f"nothing was blanked: --days is at most {MOST_DAYS}")
        total = 0
        while found := forget_calls(options["days"]):
            total += found
        self.stdout.write(f"{total} calls forgotten")
