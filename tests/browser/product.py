"""Web and worker as processes of their own on the tests' database, with the broker inside it."""

import contextlib
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

from config import broker
from config.processes import Child
from tests.ports import free_port

READY_SECONDS = 240


@contextlib.contextmanager
def running(folder: Path, *, pace: float, agent: Path) -> Iterator[str]:
    """Its address. folder: for the logs; pace: seconds that a stage of the demo takes; agent: a Python program."""
    broker.install()
    port = free_port()
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    environment = {
        "DATABASE_URL": database.geturl(),
        "CELERY_BROKER_URL": "",
        "FOLDBACK_PROVIDER": "paced",
        "FOLDBACK_AGENT_COMMAND": json.dumps([sys.executable, str(agent)]),
        "FOLDBACK_CONCURRENCY": "2",
        "PACED_SECONDS": str(pace),
    }
    start = ["env", *(f"{name}={value}" for name, value in environment.items()), sys.executable, "-m"]
    worker = [*start, "celery", "--app", "tests.browser.paced", "worker", "--without-gossip", "--without-mingle",
              "--without-heartbeat", "--loglevel", "WARNING"]  # fmt: skip
    web = [*start, "uvicorn", "tests.browser.paced:application", "--host", "127.0.0.1", "--port", str(port),
           "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "1"]  # fmt: skip
    children = [Child("worker", worker, folder / "worker.log"), Child("web", web, folder / "web.log")]
    try:
        for child in children:
            child.start()
        _wait_until_ready(f"http://127.0.0.1:{port}/readyz", children)
        yield f"http://localhost:{port}"
    finally:
        for child in children:
            child.stop()


def _wait_until_ready(address: str, children: list[Child]) -> None:
    """Until the web process finds its database, the broker and a worker."""
    deadline = time.monotonic() + READY_SECONDS
    told = ""
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except urllib.error.HTTPError as error:
            told = error.read().decode()
        except OSError as error:
            told = str(error)
        time.sleep(0.1)
    raise AssertionError("\n".join(["not ready", told, *(child.last_words() for child in children)]))
