"""One answer of an agent program: what it said, and what it changed."""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from generation.ends import Ends
from generation.providers.base import Answer, ProviderError, Request, Workspace
from generation.providers.command import jail
from generation.providers.command.allowed import environment, readable
from generation.providers.command.git import GitError
from generation.providers.command.running import CannotStart, Task, TimedOut, run
from generation.providers.command.worktree import Changes, Folder, Origin, TooLarge, folder, worktree

LONGEST_OUTPUT = 50_000  # characters
LONGEST_COMPLAINT = 2_000  # characters of what a reviewer wrote to its standard error
STOP_MARKER = "no_beads_available"
MARKED = re.compile(rf"(?<!\w){STOP_MARKER}(?!\w)")


@dataclass(frozen=True)
class Program:
    """argv without the role, which ends it; what else it may read."""

    argv: Sequence[str]
    reads: Sequence[str] = ()
    called: str = ""  # stands where others name their model

    @property
    def name(self) -> str:
        """Of a script that an interpreter runs, the script's."""
        files = [part for part in self.argv if os.path.isfile(part)]
        return self.called or Path(files[-1] if files else self.argv[0]).name


def configured() -> Program:
    """The program of FOLDBACK_AGENT_COMMAND."""
    argv = settings.FOLDBACK_AGENT_COMMAND
    if not argv:
        raise ProviderError(
            "not_configured", 'no agent program: set FOLDBACK_AGENT_COMMAND, such as ["my-agent", "--quiet"]'
        )
    return Program(argv, settings.FOLDBACK_AGENT_PATHS)


@dataclass(frozen=True)
class AgentProvider:
    name: str
    label_now: Callable[[], str]
    program: Callable[[], Program]

    @property
    def label(self) -> str:
        return self.label_now()

    def answer(self, request: Request) -> Answer:
        """What the program wrote, its two ends; with a workspace also what it changed there, in `sent["change"]`.

        Another exit status than 0 is an error that no retry mends; so is a time-out. The text may be empty.
        """
        program = self.program()
        space = request.workspace or Workspace()
        origin = Origin(space.path, space.branch, space.base, space.patch)
        try:
            with folder() if request.workspace is None else worktree(origin) as place:
                return _Attempt(request, program, place).answer()
        except GitError as error:
            raise ProviderError("no_worktree", f"the worktree cannot be made or read: {error}") from None


class _Attempt:
    """One start of the program in its worktree."""

    def __init__(self, request: Request, program: Program, place: Folder) -> None:
        self.request, self.place = request, place
        self.argv = [_found(program.argv[0]), *program.argv[1:], request.role or request.stage]
        self.reads = [*program.reads, *readable(self.argv), *([str(place.objects)] if place.objects else [])]
        self.keeps = request.workspace is not None and request.workspace.keeps
        self.output = Ends(LONGEST_OUTPUT, STOP_MARKER.encode())
        # A reviewer's answer is parsed: what it complains of beside it must not get between.
        self.errors = None if self.keeps else Ends(LONGEST_COMPLAINT)
        self.sent: dict[str, Any] = {
            "program": program.name,
            "role": self.argv[-1],
            "confined": jail.landlock_abi() > 0,
        }

    def answer(self) -> Answer:
        limit = settings.FOLDBACK_AGENT_SECONDS
        try:
            status = run(self._task(limit))
        except TimedOut:
            raise self._failed("timeout", f"the agent did not end within {limit} seconds") from None
        except CannotStart as error:
            raise self._failed("not_configured", f"the agent cannot be started: {error}") from None
        self.sent["exit_status"] = status
        if status:
            raise self._failed("agent_failed", _how(status))
        if self.keeps:
            self.sent["change"] = self._change()
        return Answer(self.output.text, self.sent["program"], sent=self._told())

    def _task(self, limit: float) -> Task:
        request, place = self.request, self.place
        prompt = f"{request.system}\n\n{request.user}" if request.system else request.user
        return Task(
            argv=self.argv,
            prompt=prompt,
            folder=place.work,
            environment=environment(place.home),
            reads=self.reads,
            writes=[str(place.work), str(place.home)],
            limit=limit,
            output=self.output,
            errors=self.errors,
            still_wanted=request.still_wanted,
        )

    def _change(self) -> dict[str, Any]:
        try:
            changes: Changes = self.place.changes()
        except TooLarge as error:
            raise self._failed("change_too_large", str(error)) from None
        return asdict(changes) | {"stop_marker": self._stopped()}

    def _stopped(self) -> bool:
        """Whether a line of the output has the marker; lines of the prompt that it repeats do not count."""
        asked = {line.strip() for line in f"{self.request.system}\n{self.request.user}".splitlines()}
        return any(MARKED.search(line) and line not in asked for line in self.output.marked)

    def _told(self) -> dict[str, Any]:
        return self.sent | ({"complaint": self.errors.text} if self.errors and self.errors.text else {})

    def _failed(self, code: str, detail: str) -> ProviderError:
        return ProviderError(code, detail, answer=self.output.text, sent=self._told())


def _found(name: str) -> str:
    """The program's path; a name is looked for on PATH."""
    path = shutil.which(name)
    if path is None:
        raise ProviderError("not_configured", f"there is no program {name!r}: look at FOLDBACK_AGENT_COMMAND")
    return os.path.abspath(path)


def _how(status: int) -> str:
    ended = f"was ended by signal {status - 128}" if status > 128 else f"ended with exit status {status}"
    return f"the agent {ended}"
