"""Count anew what pages and statistics read off the tallies."""

from typing import Any

from django.core.management.base import BaseCommand

from review import tallies


class Command(BaseCommand):
    help = (
        "Counts runs and reviews anew. Needed only where rows went in past the database's triggers, as with a"
        " restore that switched them off; safe at any time, also while people review."
    )

    def handle(self, **options: Any) -> None:
        tallies.rebuild()
        self.stdout.write("The tallies are counted anew.")
