"""rebuild_achieved: what versions of prompts achieved, counted anew."""

from typing import Any

from django.core.management.base import BaseCommand

from learning import achieved


class Command(BaseCommand):
    help = "Counts anew what each version of a prompt achieved: after a restore, or where its triggers were off."

    def handle(self, *args: Any, **options: Any) -> None:
        achieved.rebuild()
        self.stdout.write(f"{achieved.fold()} runs are counted")
