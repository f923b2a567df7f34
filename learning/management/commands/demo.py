"""`manage.py demo`: load the demo content."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from generation.models import Run
from learning.demo.loading import load


class Command(BaseCommand):
    help = "Loads the demo content: runs of all four flows, a part of them reviewed by fixed rules."

    def handle(self, *args: Any, **options: Any) -> None:
        if Run.objects.filter(metadata__demo=True).exists():
            raise CommandError("The demo content is here already.")
        counts = load()
        self.stderr.write("Demo content: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
