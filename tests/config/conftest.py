"""A real installation in a folder of its own, started by the supervisor."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.embedded import DATABASE, ROLE, socket_folder
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
INHERITED = ("DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "PYTEST_CURRENT_TEST")


class Installation:
    """One data folder and port; `start` runs the supervisor on them, as `make up` does."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[str] | None = None
        kept = {name: value for name, value in os.environ.items() if name not in INHERITED}
        self.environment = {
            **kept,
            "FOLDBACK_DATA_DIR": str(folder),
            "FOLDBACK_PROVIDER": "demo",
            "FOLDBACK_DEMO": "0",
            "PORT": str(self.port),
        }

    def start(self, **environment: str) -> "subprocess.Popen[str]":
        """In a process group of its own, as a shell starts a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"],
            cwd=ROOT,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def manage(self, *arguments: str, input: str = "") -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, input=input, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait_until_ready(self, process: "subprocess.Popen[str]", seconds: float = 300) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert process.poll() is None, process.communicate()[0]
            code, told = self.get("/readyz")
            if code == 200:
                return dict(json.loads(told))
            time.sleep(0.1)
        raise AssertionError(f"not ready: {self.get('/readyz')}; {self.logs()}")

    def logs(self) -> str:
        return "\n".join(f"{log.name}: {log.read_text()[-2000:]}" for log in self.folder.glob("log/*.log"))

    def connect(self) -> "psycopg.Connection[Any]":
        sockets = socket_folder(self.folder)
        return psycopg.connect(host=str(sockets), user=ROLE, dbname=DATABASE, autocommit=True)

    def processes(self) -> list[int]:
        """Every living process of this installation: they all inherit its FOLDBACK_DATA_DIR."""
        mark, found = f"FOLDBACK_DATA_DIR={self.folder}\0".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                mine = mark in (process / "environ").read_bytes() + b"\0"
                zombie = (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:  # it ended meanwhile, or is somebody else's
                continue
            if mine and not zombie:
                found.append(int(process.name))
        return found

    def wait_until_gone(self, seconds: float = 90) -> list[int]:
        """What still runs after `seconds`."""
        deadline = time.monotonic() + seconds
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.processes()


@pytest.fixture
def installation() -> Iterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="foldback-up-") as folder:
        made = Installation(Path(folder))
        yield made
        for pid in made.processes():
            os.kill(pid, signal.SIGKILL)
        made.wait_until_gone()


@pytest.fixture
def refused(installation: Installation) -> Callable[..., str]:
    """Start, expecting a refusal: what it says."""

    def start(**environment: str) -> str:
        process = installation.start(**environment)
        told = process.communicate(timeout=300)[0]
        assert process.returncode == 1, told
        return told

    return start
