"""A pytest plugin: a real PostgreSQL for this test run, unless DATABASE_URL names one.

It starts before Django reads its settings, in the main process alone; xdist's workers inherit it.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from config.postgres import initialise, server_command, wait_until_ready

_server: "subprocess.Popen[bytes] | None" = None
_folder: Path | None = None


FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


def pytest_addoption() -> None:
    """Called as soon as the plugin is registered, which is before settings are loaded."""
    start(*FAST)


def start(*settings: str) -> None:
    """Put FOLDBACK_DATA_DIR and DATABASE_URL of a new, empty server into the environment; `stop` takes it away."""
    global _server, _folder
    os.environ.setdefault("FOLDBACK_DATA_DIR", tempfile.mkdtemp(prefix="foldback-test-"))
    os.environ.setdefault("CELERY_BROKER_URL", "memory://")  # no worker runs: tests call what a task would
    os.environ |= {"FOLDBACK_HOLDOUT": "0", "FOLDBACK_BLIND_REVIEW": "0"}  # tests of these draw for themselves
    if os.environ.get("DATABASE_URL"):
        return
    _folder = Path(tempfile.mkdtemp(prefix="fb-pg-"))
    initialise(_folder / "data")
    with open(_folder / "log", "wb") as log:
        _server = subprocess.Popen(
            server_command(_folder / "data", _folder, *settings), stdout=log, stderr=log, start_new_session=True
        )
    wait_until_ready(_folder, _server)
    os.environ["DATABASE_URL"] = f"postgres://postgres@/postgres?host={_folder}"


def pytest_unconfigure(config: pytest.Config) -> None:
    stop()


def stop() -> None:
    if _server is None or _folder is None:
        return
    _server.send_signal(signal.SIGINT)  # its fast shutdown: a connection left open holds up nothing
    try:
        _server.wait(10)
    except subprocess.TimeoutExpired:
        _server.kill()
        _server.wait()
    shutil.rmtree(_folder, ignore_errors=True)
    os.environ.pop("DATABASE_URL", None)
