"""The processes that the supervisor keeps: started, watched, restarted and stopped."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
DEATHS_AT_MOST, WITHIN_SECONDS = 5, 60.0
LARGEST_LOG = 20_000_000


class KeepsDying(Exception):
    """A child ended too often in too short a time; the text tells its last words."""


def dies_with_parent(death_signal: int) -> Callable[[], None] | None:
    """What a child does before its program starts: ask the kernel for `death_signal` when we end.

    Linux only. Without it a SIGKILL of the supervisor would leave its children running.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: between fork and exec nothing may be loaded
    parent = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # it ended before we asked
            os._exit(1)

    return ask


@dataclass
class Child:
    """One process in a session of its own, so that Ctrl-C reaches the supervisor alone.

    stop_signal: asks it to end; what it runs longer than `grace` seconds is killed. death_signal: what
    it gets when the supervisor itself is killed.
    """

    name: str
    command: list[str]
    log: Path
    stop_signal: int = signal.SIGTERM
    death_signal: int = signal.SIGKILL
    grace: float = 5
    process: "subprocess.Popen[bytes] | None" = None
    deaths: list[float] = field(default_factory=list)
    restart_at: float = 0

    def start(self, *, shown: bool = False) -> "subprocess.Popen[bytes]":
        """Begin it; `shown`: what it prints goes to our own standard output, and only its log to the file."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=None if shown else log,
                stderr=log,
                start_new_session=True,
                preexec_fn=dies_with_parent(self.death_signal),
            )
        return self.process

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def watch(self) -> str:
        """Restart it where it died, each time a little later; what happened, in words, where something did."""
        if self.is_running:
            return ""
        now = time.monotonic()
        if self.restart_at:
            if now < self.restart_at:
                return ""
            self.restart_at = 0
            self.start()
            return f"{self.name} started again"
        self.deaths = [death for death in self.deaths if now - death < WITHIN_SECONDS] + [now]
        told = f"{self.name} ended with {self.process.returncode if self.process else 'nothing'}"
        if len(self.deaths) >= DEATHS_AT_MOST:
            raise KeepsDying(f"{told}, {len(self.deaths)} times in a minute.\n{self.last_words()}")
        self.restart_at = now + 0.25 * 2 ** len(self.deaths)
        return f"{told}; see {self.log}"

    def stop(self) -> None:
        """End it, by force where it does not end in time, and whatever it left in its session."""
        if self.process is None:
            return
        if self.is_running:
            self.process.send_signal(self.stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.grace)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def last_words(self, lines: int = 15) -> str:
        try:
            text = self.log.read_text(errors="replace")[-8000:]
        except OSError:
            return ""
        return f"The end of {self.log}:\n" + "\n".join(f"  {line}" for line in text.splitlines()[-lines:])

    def trim_log(self) -> None:
        """A log that grew too large goes on in an empty file, its old text beside it."""
        if self.log.stat().st_size > LARGEST_LOG:
            self.log.with_suffix(".log.1").write_bytes(self.log.read_bytes())
            os.truncate(self.log, 0)  # the child appends: it goes on at the new end
