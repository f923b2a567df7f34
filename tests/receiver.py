"""A receiver of webhooks on this machine: real HTTP, with what it answers and how slowly in the test's hands."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Got:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Says:
    """What it answers, and after how many seconds."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    after: float = 0.0


@dataclass
class Receiver:
    url: str = ""
    got: list[Got] = field(default_factory=list)
    says: Callable[[Got], Says] = lambda got: Says()

    def answer(self, *statuses: int) -> None:
        """These statuses one after the other, the last one for ever."""
        left = list(statuses)
        self.says = lambda got: Says(left.pop(0) if len(left) > 1 else left[0])

    @property
    def ids(self) -> list[str]:
        return [got.id for got in self.got]


@contextmanager
def receiver(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    here = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body, time.time())
            here.got.append(got)
            said = here.says(got)
            time.sleep(said.after)
            try:
                self.send_response(said.status)
                for name, value in {"Content-Length": str(len(said.body)), **said.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said.body)
            except OSError:
                pass  # the sender waited no longer

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    here.url = f"{'https' if tls else 'http'}://{host}:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
