"""Write every reviewed run with its reviews as JSON lines."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from generation.errors import BadInput
from generation.flows import flow as flow_named
from review.exports.stream import portions
from review.exports.wanted import Wanted


def moment(text: str) -> datetime:
    """A date or time as ISO 8601 writes it; without a zone it is UTC."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no date or time as 2026-01-31 or 2026-01-31T12:00") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Command(BaseCommand):
    help = (
        "Writes JSON Lines to standard output: one object per reviewed run with its source, its final record,"
        " every review event, its judgements, and the prompt versions and injections that it was made with."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--flow", help="only runs of this flow")
        parser.add_argument(
            "--since", type=moment, metavar="T", help="only runs reviewed since then, e.g. 2026-01-31 (UTC)"
        )

    def handle(self, *, flow: str | None, since: datetime | None, **options: Any) -> None:
        try:
            if flow:
                flow_named(flow)
        except BadInput as error:
            raise CommandError(str(error)) from error
        for portion in portions(Wanted("reviews", flow=flow or "", since=since)):
            self.stdout.write(portion.data.decode(), ending="")
