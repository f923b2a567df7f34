"""One attempt: certificates hold, redirects are not followed, and nobody keeps us longer than was agreed."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from generation.webhooks import sending
from generation.webhooks.sending import send
from tests.certificates import Certificates, certificates
from tests.receiver import Receiver, Says, receiver

SOON = 0.8 * sending.TOTAL_SECONDS  # on a slow machine; who kept us would keep us for all of it, or for ever
HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture(autouse=True)
def _this_machine(settings: Settings) -> None:
    settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS = ["127.0.0.0/8", "::1"]


@contextmanager
def speaking(*pieces: bytes, every: float = 0.0, again: bytes = b"") -> Iterator[str]:
    """A server below HTTP: these pieces, then `again` for ever, one each `every` seconds; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        try:
            while True:
                caller, _ = listener.accept()
                with caller:
                    caller.recv(65536)
                    for piece in pieces:
                        caller.sendall(piece)
                        over.wait(every)
                    while again and not over.wait(every):
                        caller.sendall(again)
                    caller.shutdown(socket.SHUT_WR)
                    while caller.recv(65536):  # what is closed unread is reset, and then nobody was heard
                        pass
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    over.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


@pytest.mark.parametrize(
    ("status", "error"),
    [(200, ""), (204, ""), (299, ""), (301, "redirect"), (307, "redirect"), (400, "status"), (404, "status"),
     (429, "status"), (500, "status"), (504, "status")],
)  # fmt: skip
def test_only_the_200s_are_a_yes(there: Receiver, status: int, error: str) -> None:
    there.answer(status)
    attempt = send(there.url, {"webhook-id": "x"}, "{}")
    assert (attempt.status, attempt.error) == (status, error)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("to", ["http://169.254.169.254/latest/meta-data/", "/elsewhere", "{same}"])
def test_a_redirect_is_not_followed(there: Receiver, status: int, to: str) -> None:
    there.says = lambda got: Says(status, {"Location": to.replace("{same}", there.url)})
    attempt = send(there.url, {}, "{}")
    assert (attempt.status, attempt.error) == (status, "redirect")
    assert len(there.got) == 1


def test_no_proxy_of_the_environment_is_asked(there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert send(there.url, {}, "{}").error == ""
        assert len(there.got) == 1 and proxy.got == []


SLOW = {
    "headers that drip": ([HEAD], b"X-A: b\r\n"),
    "a header that never ends": ([HEAD, b"X-A: "], b"b"),
    "a status that drips": ([], b"H"),
    "go on, go on": ([], b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing at all": ([], b""),
}


@pytest.mark.parametrize("how", SLOW)
def test_who_drips_is_cut_off(how: str) -> None:
    pieces, again = SLOW[how]
    with speaking(*pieces, every=0.1 if again else 60, again=again or b"?") as url:
        began = time.monotonic()
        attempt = send(url, {}, "{}", total=1.0)
    assert (attempt.status, attempt.error) == (None, "timeout")
    assert time.monotonic() - began < SOON
    assert 0 < attempt.duration_ms < 1000 * SOON


def test_the_answers_text_is_not_waited_for() -> None:
    with speaking(HEAD + b"Content-Length: 1000000000\r\n\r\n", every=0.1, again=b"x") as url:
        began = time.monotonic()
        assert send(url, {}, "{}").status == 200
        assert time.monotonic() - began < SOON


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "not_http"),
        (b"HTTP/1.1 twohundred OK\r\n\r\n", "not_http"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 70_000 + b"\r\n\r\n", "not_http"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "not_http"),
        (b"\x00\xff\xfe", "not_http"),
    ],
)
def test_what_is_no_http_is_a_failure_with_a_name(said: bytes, error: str) -> None:
    with speaking(said) as url:
        assert send(url, {}, "{}").error == error


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
    assert send(url, {}, "{}").error == "unreachable"


def test_a_connection_that_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "CONNECT_SECONDS", 0.3)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:  # its line is full: further ones are left without an answer
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        attempt = send(f"http://127.0.0.1:{full.getsockname()[1]}/", {}, "{}", total=1)
        for each in waiting:
            each.close()
    assert attempt.error == "timeout"


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def trusted(signed: Certificates, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As the operator would: SSL_CERT_FILE names the house's own authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(signed.authority))
    sending.tls.cache_clear()
    yield signed.authority
    sending.tls.cache_clear()


def serving(signed: Certificates, name: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*signed.of(name))
    return context


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("name", "asked", "error"),
    [
        ("127.0.0.1", "127.0.0.1", ""),
        ("localhost", "localhost", ""),
        ("elsewhere.example", "127.0.0.1", "tls"),
        ("127.0.0.1", "localhost", "tls"),  # it holds for the number and not for the name
    ],
)
def test_the_certificate_holds_for_the_name_that_was_given(
    signed: Certificates, name: str, asked: str, error: str
) -> None:
    with receiver(serving(signed, name)) as there:
        attempt = send(there.url.replace("127.0.0.1", asked), {"webhook-id": "x"}, "{}")
        assert attempt.error == error
        assert len(there.got) == (not error)


def test_an_unknown_authority_is_refused(signed: Certificates) -> None:
    sending.tls.cache_clear()
    with receiver(serving(signed, "127.0.0.1")) as there:
        assert send(there.url, {}, "{}").error == "tls"
        assert there.got == []


@pytest.mark.usefixtures("trusted")
def test_a_handshake_that_drips_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "CONNECT_SECONDS", 0.5)
    with speaking(every=0.1, again=b"\x16") as url:
        began = time.monotonic()
        assert send(url.replace("http:", "https:"), {}, "{}").error in ("timeout", "tls")
        assert time.monotonic() - began < SOON
