"""prompts: the live prompts as files, and files as versions."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from generation import prompts
from generation.errors import BadInput, Conflict
from generation.importing_prompts import Change, apply, changes
from generation.models import Prompt
from generation.prompt_files import exported, read_all, text_of


class Command(BaseCommand):
    help = "Writes what is live into files, one per prompt, or makes versions of such files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        out = acts.add_parser("export", help="write DIR/<flow>/<stage>.md for every live prompt")
        out.add_argument("folder", type=Path, metavar="DIR")
        back = acts.add_parser("import", help="show what the files of DIR would change")
        back.add_argument("folder", type=Path, metavar="DIR")
        back.add_argument("--yes", action="store_true", help="make versions of them; what is live stays")
        back.add_argument("--live", action="store_true", help="and make them live; with --by and --why")
        back.add_argument("--by", default="", metavar="USER", help="who does it: a user name")
        back.add_argument("--why", default="", help="why they go live, for the history of the live pointer")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "export":
            self._export(options["folder"])
        else:
            self._import(options)

    def _export(self, folder: Path) -> None:
        prompts.seed()
        written = 0
        for wording in exported(Prompt.objects.select_related("live__prompt")):
            path, text = folder / wording.name, text_of(wording).encode()
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            except OSError as error:
                raise CommandError(f"{path} cannot be written: {error.strerror}") from error
            written += 1
        self.stdout.write(f"{written} prompts are written to {folder}")

    def _import(self, options: dict[str, Any]) -> None:
        by = self._person(options)
        if not options["folder"].is_dir():
            raise CommandError(f"there is no folder {options['folder']}")
        try:
            found = changes(read_all(options["folder"]))
        except ExceptionGroup as broken:
            problems = "\n".join(map(str, broken.exceptions))
            raise CommandError(f"nothing is imported:\n{problems}") from None
        if not found:
            raise CommandError(f"{options['folder']} holds no prompts (*.md)")
        wanted = [change for change in found if self._matters(change, go_live=options["live"])]
        for change in wanted:
            self._show(change)
        unchanged = len(found) - len(wanted)
        if not options["yes"]:
            rest = "; --yes makes the versions" if wanted else ""
            self.stdout.write(f"{len(wanted)} of {len(found)} files would change something{rest}")
            return
        try:
            made = apply(wanted, by=by, why=options["why"], go_live=options["live"])
        except (BadInput, Conflict) as refusal:
            raise CommandError(f"nothing is imported: {refusal}") from None
        for name, version in made:
            state = "live" if options["live"] else "not live"
            self.stdout.write(f"{name}: version {version.number}, {state}")
        self.stdout.write(f"{len(made)} files imported, {unchanged} say what is there already")

    @staticmethod
    def _matters(change: Change, *, go_live: bool) -> bool:
        return change.same is None or (go_live and not change.is_live)

    def _person(self, options: dict[str, Any]) -> User | None:
        if options["live"] and not (options["by"] and options["why"]):
            raise CommandError("--live needs --by USER and --why TEXT, for the history of the live pointer")
        if len(options["why"]) > 300:
            raise CommandError("--why is longer than 300 characters")
        if not options["by"]:
            return None
        person = User.objects.filter(username=options["by"], is_active=True).first()
        if person is None or not person.has_perm("generation.change_prompt"):
            raise CommandError(f"{options['by']} is nobody who may change prompts")
        return person

    def _show(self, change: Change) -> None:
        for line in change.diff:
            style = {"+": self.style.SUCCESS, "-": self.style.ERROR}.get(line[:1], str)
            self.stdout.write(style(line))
        if change.is_stale and change.live:
            self.stdout.write(
                f"{change.wording.name} was made of version {change.wording.version};"
                f" version {change.live.number} is live by now"
            )
