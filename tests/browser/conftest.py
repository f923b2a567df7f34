"""Chromium against the live server: Debian's own build, a signed-in reviewer, a console that must stay clean."""

import os
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

expect.set_options(timeout=10_000)  # ms, as all other waiting

SignIn = Callable[[User], None]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    executable = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    return {**browser_type_launch_args, "executable_path": executable, "args": list(QUIET)}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}


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
    page.set_default_timeout(10_000)
    sign_in(me)
    yield page
    assert said == [], "the console said: " + "\n".join(said)


def _note(message: ConsoleMessage, said: list[str]) -> None:
    if message.type == "error":
        said.append(f"{message.text} ({message.location.get('url', '')})")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shots", default="", help="where tests/browser/shots.py writes its pictures")
