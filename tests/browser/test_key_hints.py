"""Where hints of keys stand: on a machine with keys, zoomed or not, and only where a script serves them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests import scenes
from tests.factories import DraftFactory, RunFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES: list[tuple[int, dict[str, Any], bool]] = [
    (1280, {}, True),
    (640, {}, True),  # 1280 at 200 %
    (390, {}, False),
    (1024, {"has_touch": True, "is_mobile": True}, False),
    (1280, {"java_script_enabled": False}, False),
]


def test_hints_stand_where_there_are_keys(app: Page, live_server: LiveServer, me: User, browser: Browser) -> None:
    run = scenes.drill(scenes.subcategories()["drills"])
    for width, given, shown in SIZES:
        context = browser.new_context(viewport={"width": width, "height": 800}, **given)
        context.add_cookies([dict(one) for one in app.context.cookies()])  # type: ignore[misc]
        page = context.new_page()
        page.goto(f"{live_server.url}/queue/")
        expect(page.locator(".list-foot")).to_be_visible(visible=shown)
        page.goto(f"{live_server.url}/runs/{run.pk}/")
        if width < 900:
            page.locator("#step-form").check(force=True)
        for hint in (".top-end > [data-keys-open]", ".signal > .key", ".choice .key", ".form-label .key"):
            expect(page.locator(hint).first, f"{hint} at {width} {given}").to_be_visible(visible=shown)
        expect(page.locator(".signal-name").first).to_be_visible()
        assert page.locator(".signal-name").first.bounding_box()["width"] > 100  # type: ignore[index]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_hints_of_single_keys_go_with_the_keys(app: Page, live_server: LiveServer) -> None:
    run = scenes.drill(scenes.subcategories()["drills"])
    address = f"{live_server.url}/runs/{run.pk}/"
    app.goto(address)
    hint, way_back = app.locator(".choice .key").first, app.locator(".top-end > [data-keys-open]")
    expect(hint).to_be_visible()
    app.keyboard.press("?")
    app.locator("[data-keys-switch]").uncheck()
    expect(app.locator("#keys .key").first).to_be_visible()
    app.keyboard.press("Escape")
    for _opened in ("at once", "and when it is opened again"):
        expect(hint).to_be_hidden()
        expect(app.locator(".form-end .keys .key").first).to_be_visible()
        expect(way_back).to_be_visible()
        app.goto(address)
    way_back.click()
    app.locator("[data-keys-switch]").check()
    app.keyboard.press("Escape")
    expect(hint).to_be_visible()


def test_two_tabs_lead_to_the_review_without_single_keys(app: Page, live_server: LiveServer) -> None:
    run = scenes.drill(scenes.subcategories()["drills"])
    DraftFactory(run=RunFactory(title="Werkant SD 10", subcategory=run.subcategory))
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    app.wait_for_load_state()
    app.keyboard.press("a")
    app.keyboard.press("Control+Enter")
    expect(app.locator("h1")).to_have_text("Werkant SD 10")
    expect(app.locator("#notice")).to_be_visible()
    expect(app.locator("#main")).to_be_focused()
    app.keyboard.press("Tab")
    expect(app.get_by_role("link", name="Skip to the review")).to_be_focused()
    app.keyboard.press("Enter")
    app.keyboard.press("Tab")
    expect(app.locator("[name=information_present]:checked")).to_be_focused()
