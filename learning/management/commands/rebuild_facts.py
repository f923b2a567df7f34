"""rebuild_facts: every figure that is counted from runs, anew."""

from typing import Any

from django.core.management.base import BaseCommand

from learning import facts


class Command(BaseCommand):
    help = "Counts anew what is told of versions, learning and judges: after a restore, or with triggers off."

    def handle(self, *args: Any, **options: Any) -> None:
        facts.rebuild()
        self.stdout.write(f"{facts.fold()} runs are counted")
