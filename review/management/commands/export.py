"""Write an export to standard output or into a file."""

import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from generation.errors import BadInput
from review.exports.stream import portions
from review.exports.wanted import FORMATS, FORMS, KINDS, Wanted
from review.management.commands.export_reviews import moment


class Command(BaseCommand):
    help = (
        "Writes an export: reviews (reviewed runs with all that was said of them), training (what people approved,"
        " with the prompts as sent) or judgements (each beside what people said of its round)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=KINDS)
        parser.add_argument("--format", choices=list(FORMATS), default="jsonl")
        parser.add_argument("--form", choices=FORMS, default="", help="of the training set; default: full")
        parser.add_argument("--flow", default="", help="only of this flow")
        parser.add_argument("--subcategory", default="", help="only of this subcategory, by its slug")
        parser.add_argument("--batch", type=UUID, help="only of this batch")
        parser.add_argument("--since", type=moment, metavar="T", help="from then on, e.g. 2026-01-31 (UTC)")
        parser.add_argument("--until", type=moment, metavar="T", help="before then")
        parser.add_argument("--output", type=Path, metavar="FILE", help="instead of standard output")

    def handle(
        self, *, kind: str, format: str, form: str, flow: str, subcategory: str, batch: UUID | None,
        since: datetime | None, until: datetime | None, output: Path | None, **options: Any,
    ) -> None:  # fmt: skip
        wanted = Wanted(kind, format, form, flow, subcategory, batch, since, until)
        try:
            wanted.check()
            with ExitStack() as opened:
                out = opened.enter_context(_opened(output)) if output else sys.stdout.buffer
                self._write(wanted, out)
        except BadInput as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # who read it has enough
            sys.stderr.close()

    def _write(self, wanted: Wanted, out: BinaryIO) -> None:
        left_out: dict[str, int] = {}
        for portion in portions(wanted):
            out.write(portion.data)
            for why, count in portion.left_out.items():
                left_out[why] = left_out.get(why, 0) + count
        out.flush()
        for why, count in sorted(left_out.items()):
            self.stderr.write(f"left out: {why} {count}")


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise CommandError(f"--output: {path} cannot be written: {error.strerror}") from error
