"""`make up`: database, web, worker and scheduler together, started in order, watched, and stopped in order."""

import contextlib
import fcntl
import os
import signal
import socket
import stat
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TextIO

from django.conf import settings

from config import postgres
from config.embedded import DATABASE, ROLE, socket_folder
from config.processes import Child, KeepsDying

HOST = "127.0.0.1"
READY_SECONDS = 120


class CannotStart(Exception):
    """Nothing was started, or all of it was stopped again; the text says why and what to do."""


class Supervisor:
    """Keeps the children. `children` is in the order of starting; they are stopped in the reverse one."""

    def __init__(self, data_dir: Path, port: int) -> None:
        self.data_dir, self.port = data_dir, port
        self.logs = data_dir / "log"
        self.children: list[Child] = []
        self.stopping = False

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.ask_to_stop)
        try:
            self.start()
            self.watch()
        finally:
            self.stop()

    def ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def start(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        if settings.EMBEDDED_DATABASE:
            self.start_database()
        if self.stopping:
            return
        self.prepare()
        if self.stopping:
            return
        for child in self.application():
            self.children.append(child)
            child.start()
        self.wait_until_it_answers()

    def start_database(self) -> None:
        """Tried for a while: after a SIGKILL the last server's processes may need a moment to end."""
        say("starting the database …")
        data, sockets = self.data_dir / "postgres", socket_folder(self.data_dir)
        private_folder(sockets)
        postgres.initialise(data)
        child = Child(
            "database",
            postgres.server_command(data, sockets),
            self.logs / "postgres.log",
            stop_signal=signal.SIGINT,  # its fast shutdown
            death_signal=signal.SIGINT,
            grace=30,
        )
        self.children.append(child)
        deadline = time.monotonic() + 30
        while not self.stopping:
            try:
                postgres.wait_until_ready(sockets, child.start())
                postgres.create_database(sockets, ROLE, DATABASE)
                return
            except postgres.PostgresError as error:
                if child.is_running or time.monotonic() > deadline:
                    raise CannotStart(f"{error}\n{child.last_words()}") from error
                time.sleep(0.5)

    def prepare(self) -> None:
        """Migrations and seeds, in a process of its own: this one stays small and knows no tables."""
        say("preparing (the first start also loads demo content) …")
        preparation = Child("preparation", [sys.executable, "-m", "config.prepare"], self.logs / "prepare.log")
        preparation.log.unlink(missing_ok=True)
        process = preparation.start(shown=True)
        try:
            while process.poll() is None and not self.stopping:
                time.sleep(0.05)
        finally:
            preparation.stop()
        if process.returncode and not self.stopping:
            raise CannotStart(f"the database could not be prepared.\n{preparation.last_words()}")

    def application(self) -> list[Child]:
        """The same commands that an installation without this supervisor runs."""
        python = [sys.executable, "-m"]
        celery = [*python, "celery", "--app", "config"]
        web = [*python, "uvicorn", "config.asgi:application", "--host", HOST, "--port", str(self.port),
               "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3"]  # fmt: skip
        worker = [*celery, "worker", "--without-gossip", "--without-mingle", "--without-heartbeat",
                  "--loglevel", "WARNING"]  # fmt: skip
        beat = [*celery, "beat", "--loglevel", "WARNING", "--pidfile", ""]
        return [
            Child("scheduler", beat, self.logs / "scheduler.log"),
            Child("worker", worker, self.logs / "worker.log", grace=10),
            Child("web", web, self.logs / "web.log"),
        ]

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.stopping:
            if answers(f"http://{HOST}:{self.port}/healthz"):
                say(f"ready at http://{HOST}:{self.port} (Ctrl-C stops it; logs: {self.logs})")
                return
            if time.monotonic() > deadline:
                web = self.children[-1]
                raise CannotStart(f"the web process does not answer.\n{web.last_words()}")
            self.look_after()
            time.sleep(0.1)

    def watch(self) -> None:
        trimmed = time.monotonic()
        while not self.stopping:
            self.look_after()
            if time.monotonic() - trimmed > 60:
                trimmed = time.monotonic()
                for child in self.children:
                    child.trim_log()
            time.sleep(0.2)

    def look_after(self) -> None:
        for child in self.children:
            happened = child.watch()
            if happened:
                say(happened)

    def stop(self) -> None:
        if self.children:
            say("stopping …")
        for child in reversed(self.children):
            child.stop()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def private_folder(folder: Path) -> None:
    """A folder that is ours alone: who enters it could talk to the database."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise CannotStart(
            f"{folder} belongs to somebody else; remove it, or set FOLDBACK_DATA_DIR to a shorter path"
        )
    folder.chmod(0o700)


@contextlib.contextmanager
def data_folder(data_dir: Path, address: str) -> Iterator[TextIO]:
    """The data folder, for this process alone. The kernel lets go of the lock however we end."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with open(data_dir / "lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CannotStart(
                f"Foldback runs on {data_dir} already: {lock.read().strip() or 'starting'}"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()}, {address}\n")
        lock.flush()
        yield lock


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise CannotStart(
                f"port {port} cannot be had ({os.strerror(error.errno or 0)}); choose another: PORT=8001 make up"
            ) from None


def read_port() -> int:
    given = os.environ.get("PORT") or "8000"
    if not given.isdecimal() or not 0 < int(given) < 65536:
        raise CannotStart(f"PORT is no port number: {given}")
    return int(given)


def check_settings() -> None:
    """What `manage.py check` would refuse, before anything is started."""
    if settings.ENVIRONMENT_PROBLEMS:
        told = "\n".join(f"  {name}: {problem}" for name, problem in settings.ENVIRONMENT_PROBLEMS.items())
        raise CannotStart(f"the environment cannot be read:\n{told}")


def say(text: str) -> None:
    sys.stderr.write(f"foldback: {text}\n")


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        check_settings()
        # After the settings, which read .env. Unset, uvicorn would believe whatever this machine's programs say.
        os.environ.setdefault("FORWARDED_ALLOW_IPS", "")
        data_dir, port = settings.DATA_DIR.resolve(), read_port()
        with data_folder(data_dir, f"http://{HOST}:{port}"):
            check_port(port)
            Supervisor(data_dir, port).run()
    except (CannotStart, KeepsDying, postgres.PostgresError) as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
