"""A database server and workers of our own, to be killed: real processes, the real broker, the real tasks."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from config.postgres import initialise, server_command, wait_until_ready
from config.processes import dies_with_parent
from tests.faults import far_end

ROOT = Path(__file__).resolve().parent.parent.parent
# What was committed survives a crash of the server's processes; only the disk is not waited for.
SERVER = ("fsync=off", "max_connections=200")
DEADLINE = float(os.environ.get("FAULTS_DEADLINE", "600"))  # seconds


class TooLate(Exception):
    """What should have happened did not, however long we waited."""


class Installation:
    """`with Installation(...) as here`: a migrated, empty database and Django set up in this process, too."""

    def __init__(self, *, call_seconds: float = 0.25, concurrency: int = 8) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="fb-faults-"))
        self.log = self.folder / "requests"
        self.concurrency = concurrency
        self.workers: list[subprocess.Popen[bytes]] = []
        self.server: subprocess.Popen[bytes] | None = None
        os.environ |= {
            "DATABASE_URL": f"postgres://postgres@/postgres?host={self.folder}",
            "CELERY_BROKER_URL": "",  # the broker inside the database
            "FOLDBACK_DATA_DIR": str(self.folder),
            "FOLDBACK_PROVIDER": far_end.NAME,
            "FOLDBACK_WEBHOOK_PRIVATE_TARGETS": "127.0.0.1",
            "FOLDBACK_CONCURRENCY": str(concurrency),
            "FOLDBACK_LOG_LEVEL": "WARNING",
            "FAR_END_LOG": str(self.log),
            "FAR_END_SECONDS": str(call_seconds),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    def __enter__(self) -> "Installation":
        try:
            self._prepare()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _prepare(self) -> None:
        initialise(self.folder / "data")
        self.start_database()
        import django

        django.setup()
        from django.core.management import call_command

        from config import broker
        from generation import prompts
        from tests.faults import worker  # in this process, too: it creates runs and sweeps

        call_command("migrate", verbosity=0, interactive=False)
        broker.install()
        prompts.seed()
        worker.shorten()

    def start_database(self) -> None:
        with open(self.folder / "server.log", "ab") as log:
            command = server_command(self.folder / "data", self.folder, *SERVER)
            self.server = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, preexec_fn=dies_with_parent(signal.SIGINT)
            )
        wait_until_ready(self.folder, self.server)

    def stop_database(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: connections are cut, and it ends in order. SIGQUIT: it crashes, and recovers when started."""
        if self.server is not None:
            self.server.send_signal(how)
            self.server.wait(DEADLINE)

    def start_worker(self, clock_off_by: int = 0) -> "subprocess.Popen[bytes]":
        """A worker as the supervisor starts it, in a session of its own."""
        command = [
            sys.executable, "-m", "celery", "--app", "tests.faults.worker", "worker",
            "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING",
            "--hostname", f"worker{len(self.workers)}@%h",
        ]  # fmt: skip
        with open(self.folder / "workers.log", "ab") as log:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "CLOCK_OFF_BY": str(clock_off_by)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=dies_with_parent(signal.SIGKILL),
            )
        self.workers.append(process)
        return process

    def requests(self) -> list[far_end.Asked]:
        return list(far_end.asked(self.log))

    def said(self) -> str:
        """All that the workers logged."""
        return (self.folder / "workers.log").read_text(errors="replace")

    def stop(self) -> None:
        """End what was started here, by its own id."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()
        if self.server is not None and self.server.poll() is None:
            from django.db import connections

            connections.close_all()
            self.stop_database()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(what: str, is_so: Callable[[], bool], seconds: float = DEADLINE) -> None:
    """Until it is so; TooLate with its name where it never was."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise TooLate(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)
