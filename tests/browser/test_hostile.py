"""Hostile texts on the pages in a real browser: nothing runs, asks, opens or leads away."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page, Request
from pytest_django.live_server_helper import LiveServer

from tests.hostile.rows import filled
from tests.hostile.texts import TEXTS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOWN = ("overview", "queue", "failed", "open run", "decided run", "running", "batch", "learning, extraction")


def test_nothing_of_a_text_runs(app: Page, live_server: LiveServer, me: User) -> None:
    opened: list[str] = []
    asked: list[str] = []

    def dialog(found: Dialog) -> None:
        opened.append(found.message)
        found.dismiss()

    def request(found: Request) -> None:
        asked.append(found.url)

    app.on("dialog", dialog)
    app.on("request", request)
    addresses = filled(" ".join(text for kind in ("markup", "addresses") for text in TEXTS[kind]), me)
    for name in SHOWN:
        app.goto(live_server.url + addresses[name])
        app.wait_for_timeout(300)  # what htmx loads, loads
        for focusable in app.locator("textarea:visible, input[type=text]:visible").all()[:3]:
            focusable.focus()
        assert app.evaluate("() => window.hostile ?? null") is None, name
        assert app.url.startswith(live_server.url), name
    assert opened == []
    assert [url for url in asked if not url.startswith(live_server.url)] == []
