"""Two people in two browsers review one run without knowing of each other; a third decides between them."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run, Status
from tests import scenes
from tests.review import panels

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[[User], Page]


@pytest.fixture
def run(transactional_db: None) -> Run:
    panels.policy(blind_to_judge=True)
    return scenes.drill(scenes.subcategories()["drills"])


@pytest.fixture
def browser_of(browser: Browser, live_server: LiveServer) -> Iterator[Open]:
    """A browser of each person's own."""
    opened = []

    def open_as(user: User) -> Page:
        client = Client()
        client.force_login(user)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        opened.append(context)
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])
        page = context.new_page()
        page.goto(f"{live_server.url}/queue/")
        return page

    yield open_as
    for context in opened:
        context.close()


def review(page: Page, run: Run, key: str, head: str, button: str) -> None:
    page.get_by_role("button", name="Review next").click()
    expect(page.locator("h1")).to_have_text(run.title)
    expect(page.locator(".run-bar")).to_contain_text(head)
    page.wait_for_load_state()
    expect(page.locator(".opinions")).to_have_count(0)
    page.keyboard.press(key)
    expect(page.locator(".form-end button")).to_contain_text(button, use_inner_text=True)
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Queue")


def test_two_who_disagree_and_one_who_decides(run: Run, live_server: LiveServer, browser_of: Open) -> None:
    mia, tom = (
        browser_of(scenes.reviewer("mia", "Mia", "Koch")),
        browser_of(scenes.reviewer("tom", "Tom", "Brandt")),
    )
    review(mia, run, "a", "review 1 of 2, blind", "Submit: approve")
    expect(mia.locator("#notice")).to_contain_text("it waits for the others")
    mia.get_by_role("button", name="Review next").click()
    expect(mia.locator("#messages")).to_contain_text("Nothing more waits for you.")
    tom.reload()
    expect(tom.locator(".inbox")).to_contain_text("Waits for review 2 of 2")
    expect(tom.locator(".inbox")).not_to_contain_text("Mia")
    review(tom, run, "x", "review 2 of 2, blind", "Submit: reject")
    ada = browser_of(panels.adjudicator("ada"))
    expect(ada.locator(".inbox")).to_contain_text("Reviewers disagree")
    ada.get_by_role("button", name="Review next").click()
    said = ada.locator(".opinions")
    expect(said.locator("tr.differs").first).to_contain_text("Decision")
    expect(said).to_contain_text("Mia Koch")
    expect(said).to_contain_text("Tom Brandt")
    ada.wait_for_load_state()
    ada.keyboard.press("a")
    expect(ada.locator(".form-end button")).to_contain_text("Decide: approve", use_inner_text=True)
    ada.keyboard.press("Control+Enter")
    expect(ada.locator("h1")).to_have_text("Queue")
    run.refresh_from_db()
    assert run.status == Status.APPROVED
    mia.goto(f"{live_server.url}/runs/{run.pk}/")
    expect(mia.locator(".timeline")).to_contain_text("Rejected")


@pytest.mark.parametrize("said", [(), ("approve", "reject")], ids=["blind", "disagree"])
def test_the_title_gives_way_last(browser_of: Open, live_server: LiveServer, said: tuple[str, ...]) -> None:
    panels.policy()
    run = scenes.drill(scenes.subcategories()["drills"], title="Nordhaus AB 18-60 Li with two packs")
    names = ("mia", "tom")
    for username, decision in zip(names, said, strict=False):
        panels.say(run, scenes.reviewer(username, username.capitalize(), "Koch"), decision)
    page = browser_of(panels.adjudicator("ada"))
    page.goto(f"{live_server.url}/runs/{run.pk}/")
    expect(page.locator(".run-bar .clip")).to_contain_text("revision 2")
    assert page.locator("h1").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
