"""The queue on the keyboard: a search and what it found, and what is done with many runs at once."""

import re

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from tests.factories import DraftFactory, RunFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def runs(me: User) -> list[Run]:
    me.groups.add(Group.objects.get(name="adjudicator"))
    made: list[Run] = [RunFactory(title=title) for title in ("Kelvaro kettle", "Kelvaro scale", "Another")]
    for run in made:
        DraftFactory(run=run)
    return made


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


def test_a_search_leads_to_its_first_row_and_escape_keeps_it(
    app: Page, live_server: LiveServer, runs: list[Run]
) -> None:
    app.goto(f"{live_server.url}/queue/")
    keys(app, "/")
    app.keyboard.type("Kelvaro")
    keys(app, "Enter")
    expect(app.locator("[data-open]")).to_have_count(2)
    expect(app.locator("[data-open]").first).to_be_focused()
    keys(app, "j")
    expect(app.locator("[data-open]").nth(1)).to_be_focused()
    keys(app, "/", "Escape")
    expect(app.locator("#find")).to_have_value("Kelvaro")  # as the list is filtered
    expect(app.locator("#find")).not_to_be_focused()


def test_many_runs_are_set_aside(app: Page, live_server: LiveServer, runs: list[Run]) -> None:
    app.goto(f"{live_server.url}/queue/")
    keys(app, "j", "b")
    expect(app.locator("[data-open]").first).to_be_focused()  # nothing is chosen
    keys(app, "x", "j", "x", "b")
    expect(app.locator("#bulk strong")).to_have_text(re.compile("2 chosen.*b"))
    expect(app.locator("#bulk button").first).to_be_focused()
    keys(app, "Tab", "Enter")
    expect(app.locator("#why")).to_be_focused()
    app.keyboard.type("twice the same")
    keys(app, "Enter")
    expect(app.locator("#messages")).to_contain_text("2 runs set aside.")
