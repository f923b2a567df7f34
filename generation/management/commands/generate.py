"""`generate`: makes one run; with --wait shows its stages live and prints the finished run as JSON."""

import json
import logging
import os
import sys
import uuid
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.http import HttpRequest

from generation import runs
from generation.access import person_named
from generation.api import shapes
from generation.errors import BadInput
from generation.flows import FLOWS, flow
from generation.intake import parse
from generation.models import Run, Status
from generation.prompts import from_file
from generation.quiet import quiet
from generation.waiting import work_on

INTERRUPTED = 130  # the exit code of what Ctrl-C ended
ROLES = ("developer", "reviewer")


class Command(BaseCommand):
    help = (
        "Makes a run from a source file. Without --wait a worker takes it up; with --wait this process works on "
        "it, unless a worker was faster, and prints the finished run as JSON (the stages go to standard error)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--flow", required=True, choices=sorted(FLOWS))
        parser.add_argument("--subcategory", metavar="SLUG", help="without one the flow finds it, or a reviewer")
        parser.add_argument(
            "--source",
            required=True,
            metavar="FILE",
            help="the source as JSON, or a plain text; - reads standard input",
        )
        parser.add_argument(
            "--wait",
            action="store_true",
            help="work on the run here, show its stages, print it when it is done; Ctrl-C leaves it to a worker",
        )
        parser.add_argument(
            "--user", metavar="NAME", help="who has it made: where four eyes are required, not who approves it"
        )
        parser.add_argument("--review", action=BooleanOptionalAction, help="ask the automated judge, or do not")
        parser.add_argument(
            "--review-max-fix-attempts", type=int, metavar="N", help="0: never mend a failed record"
        )
        for role in ROLES:
            parser.add_argument(
                f"--{role}-prompt", metavar="FILE", help="a prompt of this run's own; for the flow change alone"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = {name: options[name] for name in ("review", "review_max_fix_attempts")}
        body: dict[str, Any] = {
            "flow": options["flow"],
            "subcategory": options["subcategory"],
            "source": self._source(options["source"], options["flow"]),
            "options": {name: value for name, value in wanted.items() if value is not None},
        }
        try:
            with transaction.atomic():
                author = person_named(options["user"]) if options["user"] else None
                run = runs.create(parse(body), author=author)
                _use_prompts(run, {role: options[f"{role}_prompt"] for role in ROLES if options[f"{role}_prompt"]})
        except BadInput as error:
            raise CommandError(str(error)) from error
        if options["wait"]:
            run = self._wait(run)
        self.stdout.write(as_json(run.id))
        if run.status in (Status.FAILED, Status.STOPPED):
            sys.exit(1)

    def _source(self, name: str, flow_name: str) -> Mapping[str, Any]:
        try:
            text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--source: {error}") from error
        try:
            source, wrong = json.loads(text), "holds no JSON object"
        except ValueError as error:
            source, wrong = text, f"is no JSON: {error}"
        if isinstance(source, dict):
            return source
        if "text" not in flow(flow_name).source.model_fields:
            raise CommandError(f"--source: {name} {wrong}; the flow {flow_name} needs an object.")
        if name.endswith(".json") or text.lstrip().startswith("{"):  # not meant as a plain text
            raise CommandError(f"--source: {name} {wrong}.")
        return {"text": text}

    def _wait(self, run: Run) -> Run:
        """The run once it is over; Ctrl-C leaves it to a worker, and says how to follow it."""
        try:
            with quiet(logging.ERROR):
                return work_on(run.id, self.stderr)
        except KeyboardInterrupt:
            address = json.loads(as_json(run.id))["web_url"]
            self.stderr.write(
                f"Left to a worker, which goes on with it. Follow it at {address}\n"
                f"or by GET /api/v1/runs/{run.id}/events; its result: GET /api/v1/runs/{run.id}",
                style_func=str,
            )
            sys.exit(INTERRUPTED)


def _use_prompts(run: Run, files: Mapping[str, str]) -> None:
    """Have the run use these files' texts, by role, as versions that are not live. Raises BadInput."""
    stages = {stage.prompt_file: name for name, stage in flow(run.flow).stages.items() if stage.prompt_file}
    if files and not stages:
        flags = " and ".join(f"--{role}-prompt" for role in ROLES)
        raise CommandError(f"{flags}: the flow {run.flow} takes neither.")
    if files:
        texts = ((role, stages[role], Path(path)) for role, path in files.items())
        versions = {stage: from_file(run.flow, stage, path, f"--{role}-prompt").pk for role, stage, path in texts}
        run.options = {**run.options, "prompt_versions": versions}
        run.save(update_fields=["options"])


def as_json(run_id: uuid.UUID) -> str:
    """The run as `GET /runs/{id}` answers it; its addresses are those of `make up` on this machine."""
    request = HttpRequest()
    named = next((host for host in settings.ALLOWED_HOSTS if host[:1] not in ("*", ".", "[")), "localhost")
    port = os.environ.get("PORT") or "8000"
    request.META = {"SERVER_NAME": named, "SERVER_PORT": port if named in ("localhost", "127.0.0.1") else "80"}
    run = Run.objects.select_related("subcategory", "institution").get(pk=run_id)
    return shapes.whole(request, run).model_dump_json(indent=2)
