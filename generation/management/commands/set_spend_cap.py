"""set_spend_cap: another spend cap for a batch; the runs that waited for it go on."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from generation.models import Batch
from generation.spend import set_batch_cap


class Command(BaseCommand):
    help = "Sets what the calls of a batch may cost, in US dollars; 0 takes the cap away."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", type=UUID, help="its id, as in the address of its page")
        parser.add_argument("usd", help="US dollars for all calls of the batch together")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cap = Decimal(options["usd"])
        except InvalidOperation:
            raise CommandError(f"{options['usd']} is no number") from None
        if not cap.is_finite() or cap < 0:
            raise CommandError("a cap is 0 or more")
        if not Batch.objects.filter(pk=options["batch"]).exists():
            raise CommandError(f"there is no batch {options['batch']}")
        going_on = set_batch_cap(options["batch"], cap or None)
        self.stdout.write(f"{going_on} waiting runs go on")
