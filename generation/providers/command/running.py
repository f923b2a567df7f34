"""Running an agent program: its prompt goes in, its output comes out, bounded in time and in memory."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from generation.ends import Ends

LAUNCHER = Path(__file__).parent / "jail.py"
CHUNK = 1 << 16
GRACE = 5.0  # seconds between SIGTERM and SIGKILL
LARGEST_FILE = 1 << 30  # bytes that an agent may write into one file
LOOK_EVERY = 5.0  # seconds between two questions whether the run is still wanted
DRAIN = 2.0  # seconds for what is still in the pipes when everything has ended


@dataclass(frozen=True)
class Task:
    """One start of a program. limit: seconds. still_wanted: asked every few seconds; what it raises ends it."""

    argv: Sequence[str]
    prompt: str
    folder: Path
    environment: Mapping[str, str]
    reads: Sequence[str]
    writes: Sequence[str]
    limit: float
    output: Ends
    errors: Ends | None = None  # None: together with the output, in the order in which they came
    still_wanted: Callable[[], None] = field(default=lambda: None)


class CannotStart(Exception):
    """The launcher could not be started."""


class TimedOut(Exception):
    """It did not end in its time and was ended, with all that it had started."""


def run(task: Task) -> int:
    """Run it to its end; its exit status, 128 + n where signal n ended it. Raises CannotStart, TimedOut."""
    plan = {"reads": list(task.reads), "writes": list(task.writes), "grace": GRACE, "file_size": LARGEST_FILE}
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(plan), "--", *task.argv],
            cwd=task.folder,
            env=dict(task.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if task.errors is None else subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotStart(type(error).__name__) from error
    try:
        with _Pipes(process, task) as pipes:
            _until_it_ends(process, pipes, task)
            pipes.drain(time.monotonic() + DRAIN)
    finally:
        _end(process)
    return process.returncode


def _until_it_ends(process: "subprocess.Popen[bytes]", pipes: "_Pipes", task: Task) -> None:
    deadline, look = time.monotonic() + task.limit, time.monotonic() + LOOK_EVERY
    while process.poll() is None:
        now = time.monotonic()
        if now >= deadline:
            process.terminate()
            pipes.drain(now + GRACE + DRAIN, until=process)
            raise TimedOut
        if now >= look:
            task.still_wanted()
            look = now + LOOK_EVERY
        pipes.move(min(deadline, look) - now)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The launcher ends its agent; where it does not answer itself, it is killed, and the agent with it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE + DRAIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class _Pipes:
    """The three pipes of a process: what is to go in, and what comes out."""

    def __init__(self, process: "subprocess.Popen[bytes]", task: Task) -> None:
        self._left = memoryview(task.prompt.encode("utf-8", "replace"))
        self._selector = selectors.DefaultSelector()
        self._open: list[IO[bytes]] = []
        self._into(process.stdin, selectors.EVENT_WRITE, None)
        self._into(process.stdout, selectors.EVENT_READ, task.output)
        self._into(process.stderr, selectors.EVENT_READ, task.errors)

    def _into(self, pipe: IO[bytes] | None, event: int, ends: Ends | None) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, event, ends)
            self._open.append(pipe)

    def __enter__(self) -> "_Pipes":
        return self

    def __exit__(self, *error: object) -> None:
        self._selector.close()
        for pipe in self._open:
            pipe.close()

    def move(self, seconds: float) -> None:
        """Move what can be moved; wait for it so long at most, and never longer than a twentieth of a second."""
        if not self._selector.get_map():
            time.sleep(max(min(seconds, 0.01), 0))
            return
        for key, _ in self._selector.select(max(min(seconds, 0.05), 0)):
            pipe: IO[bytes] = key.fileobj  # type: ignore[assignment]
            done = self._write(pipe) if key.data is None else self._read(pipe, key.data)
            if done:
                self._selector.unregister(pipe)
                pipe.close()

    def _write(self, pipe: IO[bytes]) -> bool:
        try:
            written = os.write(pipe.fileno(), self._left[:CHUNK])
        except BlockingIOError:
            return False
        except BrokenPipeError:  # it does not want to hear more
            return True
        self._left = self._left[written:]
        return not self._left

    def _read(self, pipe: IO[bytes], ends: Ends) -> bool:
        try:
            chunk = os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            return False
        ends.add(chunk)
        return not chunk

    def drain(self, deadline: float, until: "subprocess.Popen[bytes] | None" = None) -> None:
        """What is still in the pipes, to their ends or to the deadline."""
        while self._selector.get_map() and time.monotonic() < deadline:
            self.move(deadline - time.monotonic())
            if until is not None and until.poll() is not None:
                until, deadline = None, min(deadline, time.monotonic() + DRAIN)
