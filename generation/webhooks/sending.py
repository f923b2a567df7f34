"""One attempt to deliver a message: checked where it goes, bounded in its time, deaf to what comes back."""

import contextlib
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse

from django.utils.translation import gettext_lazy as _

from generation.webhooks import address
from generation.webhooks.address import Place, Target

CONNECT_SECONDS = 5.0  # for each address of a name, the handshake included
TOTAL_SECONDS = 20.0  # for all of it; the specification recommends 15 to 30
REST_BYTES, REST_SECONDS = 1024, 1.0  # of the answer's text, which nobody reads
USER_AGENT = "Foldback-Webhooks/1"

ERRORS = {
    "refused": _("its address leads into a private network, or is none that may be asked"),
    "unresolved": _("no address was found for its name"),
    "unreachable": _("no connection could be made, or it broke off"),
    "tls": _("its certificate does not hold for this name"),
    "timeout": _("it gave no answer in time"),
    "redirect": _("it points elsewhere: redirects are not followed, set its new address"),
    "status": _("its answer says no"),
    "not_http": _("its answer is no HTTP"),
}


@dataclass(frozen=True)
class Attempt:
    """What came of one attempt. error: a code of ERRORS, "" where it was delivered. retry_after: seconds."""

    status: int | None
    error: str
    duration_ms: int
    retry_after: float | None = None


class _Failed(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def send(url: str, headers: Mapping[str, str], body: str, *, total: float | None = None) -> Attempt:
    """POST the body. Whatever happens is an Attempt: nothing that the other end does is raised."""
    started = time.monotonic()
    deadline = started + (total or TOTAL_SECONDS)

    def attempt(status: int | None, error: str, retry_after: float | None = None) -> Attempt:
        return Attempt(status, error, round((time.monotonic() - started) * 1000), retry_after)

    try:
        with _connected(address.parse(url), deadline) as (target, sock):
            status, retry_after = _post(target, sock, headers, body, deadline)
    except address.Refused:
        return attempt(None, "refused")
    except address.Unresolved:
        return attempt(None, "unresolved")
    except _Failed as failure:
        return attempt(None, failure.code)
    except (OSError, HTTPException, ValueError) as error:
        return attempt(None, _code_of(error, late=time.monotonic() >= deadline))
    if 200 <= status < 300:
        return attempt(status, "")
    return attempt(status, "redirect" if 300 <= status < 400 else "status", retry_after)


def _code_of(error: Exception, *, late: bool) -> str:
    if late or isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ssl.SSLError):
        return "tls"
    return "unreachable" if isinstance(error, OSError) else "not_http"


@contextlib.contextmanager
def _connected(target: Target, deadline: float) -> Iterator[tuple[Target, socket.socket]]:
    """A connection to one of the checked addresses, which is cut at the deadline, whoever drips what into it."""
    sock = _first_of(address.places(target), target, deadline)
    # A second handle on the connection: shut down there, every read of the first one ends. Time-outs of a socket
    # count from byte to byte, and so never end for who sends one now and then.
    handle = socket.socket(fileno=os.dup(sock.fileno()))
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), _cut, [handle])
    timer.daemon = True
    timer.start()
    try:
        yield target, sock
    finally:
        timer.cancel()
        with contextlib.suppress(OSError):
            sock.close()
        timer.join()
        handle.close()


def _cut(handle: socket.socket) -> None:
    with contextlib.suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def _first_of(places: list[Place], target: Target, deadline: float) -> socket.socket:
    failure: Exception = _Failed("timeout")
    for place in places:
        left = min(CONNECT_SECONDS, deadline - time.monotonic())
        if left <= 0:
            break
        try:
            return _connect(place, target, left)
        except OSError as error:
            failure = error
    raise failure


def _connect(place: Place, target: Target, seconds: float) -> socket.socket:
    sock = socket.socket(place.family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.settimeout(seconds)
        sock.connect(place.sockaddr)
        if target.scheme == "https":
            sock = tls().wrap_socket(sock, server_hostname=target.host)
        sock.settimeout(TOTAL_SECONDS)
    except BaseException:
        sock.close()
        raise
    return sock


@cache
def tls() -> ssl.SSLContext:
    """The system's certificates, or those of SSL_CERT_FILE and SSL_CERT_DIR, read once."""
    return ssl.create_default_context()


def _post(
    target: Target, sock: socket.socket, headers: Mapping[str, str], body: str, deadline: float
) -> tuple[int, float | None]:
    """Status and Retry-After of the answer. No proxy is asked for: the connection is there already."""
    connection = HTTPConnection(target.host, target.port)
    connection.sock = sock
    sent = {
        "Host": target.named,
        "User-Agent": USER_AGENT,
        "Content-Type": "application/json",
        "Connection": "close",
        **headers,
    }
    connection.request("POST", target.path, body.encode(), sent)
    answer = connection.getresponse()
    if time.monotonic() >= deadline:  # its head was cut off, which http.client takes for the head's end
        raise TimeoutError
    _let_it_finish(answer, sock)
    return answer.status, _seconds(answer.headers.get("Retry-After"))


def _let_it_finish(answer: HTTPResponse, sock: socket.socket) -> None:
    """The status has decided; who is still writing a short text need not see the connection break."""
    with contextlib.suppress(OSError, HTTPException, ValueError):
        sock.settimeout(REST_SECONDS)
        answer.read1(REST_BYTES)


def _seconds(given: str | None) -> float | None:
    """Retry-After, in seconds from now or as a date (RFC 9110, section 10.2.3); None where it is neither."""
    if given is None:
        return None
    if given.strip().isascii() and given.strip().isdigit():
        return float(given.strip()[:12])
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
