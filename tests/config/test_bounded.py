"""Bodies over the limit, told or chunked, over a real server: refused, and nothing of them is stored."""

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from config.asgi import application
from generation.models import Run
from tests.callers import Caller
from tests.streams import SECONDS, serving

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT = 10_000


@pytest.fixture
def server(settings: Settings) -> Iterator[int]:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = LIMIT
    with serving(application) as port:
        yield port


def post(port: int, path: str, secret: str, parts: list[bytes], *, chunked: bool) -> tuple[int, str, bytes]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as caller:
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        body = iter(parts) if chunked else b"".join(parts)
        caller.request("POST", path, body=body, headers=headers, encode_chunked=chunked)
        with caller.getresponse() as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit(server: int, chunked: bool) -> None:
    secret = Caller().secret
    status, kind, told = post(server, "/api/v1/runs", secret, [b"x" * 1000] * 40, chunked=chunked)
    assert (status, kind) == (413, "application/problem+json")
    assert json.loads(told)["status"] == 413 and str(LIMIT) in json.loads(told)["detail"]
    status, kind, _told = post(server, "/login/", secret, [b"x" * 1000] * 40, chunked=chunked)
    assert (status, kind) == (413, "text/plain; charset=utf-8")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_within_it(server: int, chunked: bool) -> None:
    body = json.dumps({"flow": "item", "source": {"title": "Drill", "text": "x" * 5000}}).encode()
    parts = [body[at : at + 700] for at in range(0, len(body), 700)]
    status, _kind, _told = post(server, "/api/v1/runs", Caller().secret, parts, chunked=chunked)
    assert (status, Run.objects.count()) == (202, 1)


def test_an_endless_body_is_ended(server: int) -> None:
    """One who goes on sending is answered, and then cut off."""
    with contextlib.closing(socket.create_connection(("127.0.0.1", server), timeout=SECONDS)) as caller:
        caller.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        over = time.monotonic() + 60
        with contextlib.suppress(OSError):
            while time.monotonic() < over:
                caller.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        with contextlib.suppress(OSError):
            assert caller.recv(100).startswith(b"HTTP/1.1 413")
    assert time.monotonic() < over
