"""Create runs from a file of JSON lines, with past reviews where a line has them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from generation.access import person_named
from generation.errors import BadInput
from generation.flows import flow as flow_named
from review.importing import Chunk, import_lines
from review.management.progress import Bar


class Command(BaseCommand):
    help = (
        "Creates one run per line: a JSON object like the body of POST /runs. A line may carry `output`, the"
        " record that was made elsewhere, and `reviews`, a list of past reviews of it, so that learning starts"
        " warm. A bad line is told by its number; the others go in."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.jsonl", type=Path)
        parser.add_argument(
            "--user", metavar="NAME", help="who imports them: where four eyes are required, not who approves them"
        )
        parser.add_argument("--flow", default="item", help="the flow of lines that name none (default: item)")

        parser.add_argument(
            "--economy",
            action="store_true",
            help="make the runs by the provider's batch interface: half the price, each answer within a day",
        )

    def handle(
        self, *, file: Path, flow: str, user: str | None = None, economy: bool = False, **options: Any
    ) -> None:
        total = Chunk()
        try:
            flow_named(flow)
            author = person_named(user) if user else None
            with file.open("rb") as lines:
                bar = Bar(self.stderr, file.stat().st_size)
                read = _Counted(lines)
                for chunk in import_lines(read, flow=flow, name=file.name, author=author, economy=economy):
                    self._tell(bar, chunk)
                    total = _sum(total, chunk)
                    bar.show(read.bytes, f"{total.lines:,} lines")
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except BadInput as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Runs queued: {total.queued:,}; taken in with their record: {total.adopted:,};"
            f" past reviews: {total.reviews:,}."
        )
        if total.refused:
            raise CommandError(f"Lines refused: {len(total.refused):,}.")

    def _tell(self, bar: Bar, chunk: Chunk) -> None:
        bar.clear()
        for number, error in chunk.refused:
            told = "; ".join(f"{p.pointer}: {p.detail}" if p.pointer else p.detail for p in error.problems)
            self.stderr.write(f"line {number}: {told}")


def _sum(one: Chunk, other: Chunk) -> Chunk:
    return Chunk(
        lines=other.lines,
        queued=one.queued + other.queued,
        adopted=one.adopted + other.adopted,
        reviews=one.reviews + other.reviews,
        refused=one.refused + other.refused,
    )


class _Counted:
    """The lines of a file, counting its bytes on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.bytes = file, 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self.file:
            self.bytes += len(line)
            yield line
