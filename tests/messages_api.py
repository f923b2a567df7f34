"""A local server that speaks the Messages API: the far end of the network, scripted by a test."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from generation.providers.anthropic.client import client
from tests.batches_api import BatchesApi
from tests.batches_api import Reply as Reply

KEY = "sk-test-0123456789-never-in-a-log"


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def message(text: str = "", **changes: Any) -> Reply:
    """A whole message as the API sends it; `changes` replace its fields, None removes one."""
    whole: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    } | changes
    return Reply(json.dumps({name: value for name, value in whole.items() if value is not None}))


def error(status: int, kind: str, text: str = "no", **headers: str) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": text}}
    return Reply(json.dumps(body), status, {name.replace("_", "-"): value for name, value in headers.items()})


class MessagesApi:
    """Answers with its replies in order, the last one for ever; keeps what it received.

    at_last: called before the last but one is sent, so that it holds for whoever asks for the last.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.batches = BatchesApi()
        self.at_last: Callable[[], None] = lambda: None
        self._replies: list[Reply] = [message("{}")]
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def replies(self, *replies: Reply) -> None:
        self._replies = list(replies)

    @property
    def last(self) -> dict[str, Any]:
        """The body of the newest request."""
        return self.received[-1].body

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _next(self, received: Received) -> Reply:
        self.received.append(received)
        if len(self._replies) == 1:
            return self._replies[0]
        if len(self._replies) == 2:
            self.at_last()
        return self._replies.pop(0)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer({})

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                self._answer(json.loads(self.rfile.read(length) or b"{}"))

            def _answer(self, body: dict[str, Any]) -> None:
                reply = api.batches.reply(self.command, self.path, body)
                if reply is None:
                    reply = api._next(Received(self.path, dict(self.headers), body))
                time.sleep(reply.delay)
                try:
                    self._send(reply)
                except OSError:
                    self.close_connection = True  # the client gave up, as it should

            def _send(self, reply: Reply) -> None:
                if reply.drop:
                    self.close_connection = True
                    return
                if reply.drip_head:
                    self._write(b"HTTP/1.1 200 OK\r\nx-filler: " + b"." * 10_000, reply.drip_head)
                payload = reply.body.encode()
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                self.send_header("content-length", str(len(payload)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self._write(payload, reply.drip)

            def _write(self, payload: bytes, drip: float) -> None:
                for piece in [payload[i : i + 1] for i in range(len(payload))] if drip else [payload]:
                    self.wfile.write(piece)
                    self.wfile.flush()
                    time.sleep(drip)

            def log_message(self, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def messages_api(settings: Any) -> Iterator[MessagesApi]:
    """The server, with the settings of the provider `anthropic` pointing at it."""
    api = MessagesApi()
    api.start()
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = KEY, api.url
    yield api
    api.stop()
    client(KEY, api.url).close()
    client.cache_clear()
