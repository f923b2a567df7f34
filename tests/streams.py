"""uvicorn in a thread, for tests of event streams: pytest-django's live server reads a stream to its end first."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from config.bounded import Application

SECONDS = 60  # for an answer, or what follows from it, on a slow machine


@contextlib.contextmanager
def serving(application: Application, port: int = 0) -> Iterator[int]:
    """The port of a server that runs until the block is left; 0: a free one."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        running = uvicorn.Server(uvicorn.Config(application, lifespan="off", log_level="warning"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield listening.getsockname()[1]
        running.should_exit = True
        running.force_exit = True
        thread.join(SECONDS)


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"{what}: never"
        time.sleep(0.02)


def message(answer: http.client.HTTPResponse) -> dict[str, Any]:
    """The next message; empty where the stream has ended."""
    found: dict[str, Any] = {}
    while line := answer.readline().decode().rstrip("\n"):
        name, value = line.split(": ", 1)
        found[name] = json.loads(value) if name == "data" else value
    return found
