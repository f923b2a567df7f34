"""The button, in Chromium, under the strict policy: to the provider and back, with a clean console."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.config.oidc.far_end import FarEnd
from tests.config.oidc.installation import Web

pytestmark = pytest.mark.browser


@pytest.fixture
def app(page: Page) -> Iterator[Page]:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(30_000)
    yield page
    assert said == []


def test_there_and_back_by_keyboard(app: Page, web: Web, far_end: FarEnd) -> None:
    far_end.person["groups"] = ["record-team"]
    app.goto(f"{web.url}/learning/")
    button = app.get_by_role("link", name="Sign in with Werkant login")
    button.focus()
    app.keyboard.press("Enter")
    expect(app).to_have_url(f"{web.url}/learning/")
    expect(app.get_by_label("Signed in as Mia Koch")).to_be_visible()
    assert web.people() == [("mia", ["reviewer"])]


def test_who_cancels_is_back_at_the_sign_in_page(app: Page, web: Web, far_end: FarEnd) -> None:
    far_end.fault = "cancelled"
    app.goto(f"{web.url}/login/")
    app.get_by_role("link", name="Sign in with Werkant login").click()
    expect(app.get_by_text("Signing in with Werkant login was cancelled.")).to_be_visible()
    expect(app.get_by_label("Password")).to_be_visible()
