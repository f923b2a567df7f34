"""Chromium against the live server: Debian's own build, a signed-in reviewer, a console that must stay clean."""

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests import scenes

QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
# Playwright's sync API runs an event loop in this thread, which Django takes for async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=30_000)  # ms, as all other waiting

SignIn = Callable[[User], None]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    executable = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    return {**browser_type_launch_args, "executable_path": executable, "args": list(QUIET)}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}


class Connections:
    """How many connections a live server has open. Each is a thread that may still write to the database."""

    def __init__(self, server: LiveServer) -> None:
        self.open = 0
        self.changed = threading.Condition()
        httpd: Any = server.thread.httpd
        self._accept, self._serve = httpd.process_request, httpd.process_request_thread
        httpd.process_request, httpd.process_request_thread = self._counted, self._until_closed

    def wait_until_closed(self, seconds: float) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.open == 0, seconds)

    def _counted(self, *connection: Any) -> None:
        self._add(1)
        self._accept(*connection)

    def _until_closed(self, *connection: Any) -> None:
        try:
            self._serve(*connection)
        finally:
            self._add(-1)

    def _add(self, number: int) -> None:
        with self.changed:
            self.open += number
            self.changed.notify_all()


@pytest.fixture(scope="session")
def connections(live_server: LiveServer) -> Connections:
    return Connections(live_server)


@pytest.fixture(autouse=True)
def _served_to_the_end(request: pytest.FixtureRequest) -> Iterator[None]:
    """The browser is gone, its last requests may not be: they end before the next test's tables are emptied."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")  # emptied after this fixture, as it is set up before
    connections = request.getfixturevalue("connections")
    yield
    connections.wait_until_closed(seconds=30)


@pytest.fixture
def sign_in(context: BrowserContext, live_server: LiveServer) -> SignIn:
    """Put a person's session into the browser."""

    def as_person(user: User) -> None:
        client = Client()
        client.force_login(user)
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])

    return as_person


@pytest.fixture
def me(transactional_db: None) -> User:
    return scenes.reviewer()


@pytest.fixture
def app(page: Page, live_server: LiveServer, me: User, sign_in: SignIn) -> Iterator[Page]:
    """A reviewer's browser. Whatever the console says at level error fails the test."""
    said: list[str] = []
    page.on("console", lambda message: _note(message, said))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.set_default_timeout(30_000)
    sign_in(me)
    yield page
    assert said == [], "the console said: " + "\n".join(said)


def _note(message: ConsoleMessage, said: list[str]) -> None:
    if message.type == "error":
        said.append(f"{message.text} ({message.location.get('url', '')})")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shots", default="", help="where tests/browser/shots.py writes its pictures")
