"""A day at the desk: run after run without a page load, what comes back where one goes back, what survives."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from playwright.sync_api import Page, Request, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run, Subcategory
from learning.window import window
from review import queue
from review.models import Claim, ReviewEvent, ReviewForm
from tests import scenes
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.review.waiting import waiting_ids

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def drills() -> Subcategory:
    made: Subcategory = SubcategoryFactory(slug="drills", name="Drills")
    return made


@pytest.fixture
def make(drills: Subcategory, me: User) -> Callable[..., list[Run]]:
    def runs(count: int, **given: Any) -> list[Run]:
        made = []
        for number in range(1, count + 1):
            run = RunFactory(title=f"Thing {number}", subcategory=drills, **given)
            Run.objects.filter(pk=run.pk).update(changed_at=Now() - timedelta(days=count - number + 1))
            DraftFactory(run=run)
            made.append(Run.objects.get(pk=run.pk))
        return made

    return runs


class Traffic:
    """What the page asked the server for, from now on."""

    def __init__(self, page: Page) -> None:
        self.asked: list[str] = []
        self.loads = 0
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if not request.url.endswith("favicon.svg"):  # asked of its own store, whenever the address changes
            self.asked.append(request.url)
        self.loads += request.is_navigation_request()

    def clear(self) -> None:
        self.asked, self.loads = [], 0


def begin(app: Page, live_server: LiveServer) -> None:
    """The first run is open, and the next one waits unseen."""
    with app.expect_response("**/queue/ahead/**"):
        app.goto(f"{live_server.url}/queue/")
        app.keyboard.press("Enter")
        expect(app.locator("h1")).to_have_text("Thing 1")


def press(app: Page, *keys: str) -> None:
    for key in keys:
        app.keyboard.press(key)


def checked(app: Page, name: str) -> str | None:
    return app.locator(f"[name={name}]:checked").get_attribute("value")


def test_twenty_reviews_take_two_requests_each_and_no_page_load(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]], drills: Subcategory
) -> None:
    runs = make(21)
    begin(app, live_server)
    app.wait_for_load_state("networkidle")
    traffic = Traffic(app)
    for number, run in enumerate(runs[:20], 1):
        traffic.clear()
        press(app, "2" if number % 3 else "3", ("a", "r", "x")[number % 3])
        with app.expect_response("**/queue/ahead/**"):
            press(app, "Control+Enter")
        expect(app.locator("#main")).to_be_focused()
        expect(app.locator("h1")).to_have_text(runs[number].title)
        expect(app.locator("#notice")).to_contain_text(run.title)
        expect(app.locator(".today")).to_have_text(f"{number} today")
        expect(app.locator(".place")).to_have_text(f"1 of {21 - number}")
        expect(app.locator("#waiting")).to_have_text(str(21 - number))
        expect(app).to_have_url(f"{live_server.url}/runs/{runs[number].pk}/")
        expect(app).to_have_title(f"Review Thing {number + 1} · Foldback")
        expect(app.locator("#announce")).to_contain_text(f"Thing {number + 1} 1 of {21 - number}")
        assert len(traffic.asked) <= 2 and traffic.loads == 0, traffic.asked
    assert ReviewEvent.objects.count() == 20
    names = ("run__title", "decision", "bad_format", "wrong_information")
    said = ReviewEvent.objects.order_by("id").values_list(*names)
    for number, event in enumerate(said, 1):
        decision = ("approve", "revise", "reject")[number % 3]
        assert event == (f"Thing {number}", decision, *((True, None) if number % 3 else (None, True)))


def test_the_end_of_the_queue_is_told(app: Page, live_server: LiveServer, make: Callable[..., list[Run]]) -> None:
    make(1)
    app.goto(f"{live_server.url}/queue/")
    press(app, "Enter")
    expect(app.locator("h1")).to_have_text("Thing 1")
    app.wait_for_load_state("networkidle")
    press(app, "a", "Control+Enter")
    expect(app.locator("#notice")).to_contain_text("Approved Thing 1.")
    expect(app.locator("#messages")).to_contain_text("Nothing more waits for you.")
    app.go_back()
    expect(app.locator("h1")).to_have_text("Thing 1")
    expect(app.locator("#review-form")).to_have_count(0)
    expect(app.locator("main")).to_contain_text("Approved")


def test_going_back_shows_what_became_of_a_run(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    make(3)
    begin(app, live_server)
    press(app, "n")
    app.keyboard.type("as it was")
    press(app, "Escape", "a", "Control+Enter")
    expect(app.locator("h1")).to_have_text("Thing 2")
    app.go_back()
    expect(app.locator("h1")).to_have_text("Thing 1")
    expect(app.locator("#review-form")).to_have_count(0)
    expect(app.locator("main")).to_contain_text("as it was")
    app.wait_for_load_state()  # its scripts, which look at going on, run before that
    app.go_forward()
    expect(app.locator("h1")).to_have_text("Thing 2")
    expect(app.locator("#notes")).to_have_value("")
    assert ReviewEvent.objects.count() == 1


def test_undo_restores_the_queue_and_the_window_and_history_shows_both(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]], drills: Subcategory
) -> None:
    runs = make(4)

    def everything() -> Any:
        return waiting_ids(), queue.count_waiting(), window("item", drills.pk)

    begin(app, live_server)
    press(app, "4", "r", "Control+Enter")
    expect(app.locator("h1")).to_have_text("Thing 2")
    before = everything()
    with app.expect_response("**/queue/ahead/**"):
        press(app, "2", "n")
        app.keyboard.type("too long by far")
        press(app, "Escape", "x", "Control+Enter")
        expect(app.locator("h1")).to_have_text("Thing 3")
    traffic = Traffic(app)
    press(app, "u")
    expect(app.locator("h1")).to_have_text("Thing 2")
    expect(app.locator("#notices")).to_contain_text("Taken back.")
    assert traffic.loads == 0 and everything() == before
    expect(app.locator("#notes")).to_have_value("too long by far")
    assert (checked(app, "bad_format"), checked(app, "decision")) == ("yes", "reject")
    press(app, "Control+Enter")
    expect(app.locator("h1")).to_have_text("Thing 3")
    app.goto(f"{live_server.url}/runs/{runs[1].pk}/")
    expect(app.locator(".timeline > li strong")).to_have_text(["Rejected", "Undone", "Rejected"])


def test_skipping_and_moving_along_need_no_page_load_and_lose_nothing(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    runs = make(4)
    begin(app, live_server)
    traffic = Traffic(app)
    press(app, "n")
    app.keyboard.type("half a thought")
    press(app, "Escape")
    with app.expect_response("**/queue/ahead/**"):
        press(app, "s")
        expect(app.locator("h1")).to_have_text("Thing 2")
    assert ReviewForm.objects.get(run=runs[0]).notes == "half a thought"
    assert not Claim.objects.filter(run=runs[0]).exists()
    press(app, "k")
    expect(app.locator("h1")).to_have_text("Thing 1")
    expect(app.locator("#notes")).to_have_value("half a thought")
    press(app, "j")
    expect(app.locator("h1")).to_have_text("Thing 2")
    assert traffic.loads == 0
    assert Claim.objects.filter(run=runs[0]).exists(), "something is typed into its form"


def test_the_filters_of_the_queue_go_along(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    make(1, flow="question")
    scales = SubcategoryFactory(slug="scales", name="Scales")
    for title in ("Scale 1", "Scale 2"):
        DraftFactory(run=RunFactory(title=title, subcategory=scales))
    with app.expect_response("**/queue/ahead/**"):
        app.goto(f"{live_server.url}/queue/?subcategory=scales")
        press(app, "Enter")
        expect(app.locator("h1")).to_have_text("Scale 1")
    press(app, "a", "Control+Enter")
    expect(app.locator("h1")).to_have_text("Scale 2")
    expect(app).to_have_url(re.compile(r"\?subcategory=scales$"))
    expect(app.locator(".place")).to_have_text("1 of 1")
    press(app, "a", "Control+Enter")
    expect(app).to_have_url(re.compile(r"/queue/\?subcategory=scales&done="))


def test_what_is_typed_survives_a_reload_at_once_and_is_saved_when_the_page_is_left(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    [run] = make(1)
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    app.wait_for_load_state("networkidle")
    press(app, "2", "m")
    app.keyboard.type("weight")
    press(app, "Enter", "Escape", "n")
    app.keyboard.type("half a")
    app.reload()
    expect(app.locator("#notes")).to_have_value("half a")
    expect(app.locator(".chip--field")).to_have_text(["weight"])
    assert checked(app, "bad_format") == "yes"
    expect(app.locator("[data-counter]")).to_contain_text("6 of")
    press(app, "n")
    app.keyboard.press("End")
    app.keyboard.type(" thought")
    app.goto(f"{live_server.url}/learning/")
    expect(app.locator("h1")).to_have_text("Learning")
    for _ in range(20):
        if ReviewForm.objects.filter(run=run, notes="half a thought").exists():
            break
        app.wait_for_timeout(100)
    assert ReviewForm.objects.get(run=run).notes == "half a thought"


def test_nothing_of_it_stays_in_the_tab_of_another_person(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]], sign_in: Callable[[User], None]
) -> None:
    [run] = make(1)
    kept = "Object.keys(sessionStorage).filter((key) => key.startsWith('draft:')).length"
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    app.locator("#notes").fill("mine")
    assert app.evaluate(kept) == 1
    Claim.objects.all().delete()
    sign_in(scenes.reviewer("rosa", "Rosa", "Stein"))
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    expect(app.locator("#notes")).to_have_value("")
    app.locator("#notes").fill("hers")
    assert app.evaluate(kept) == 1
    app.locator("details.menu summary").last.click()
    app.locator("[data-sign-out] button").click()
    expect(app).to_have_url(re.compile("/login/"))
    assert app.evaluate(kept) == 0


def test_fields_are_walked_by_arrows_and_chosen_by_digits(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    [run] = make(1)
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    app.wait_for_load_state("networkidle")
    press(app, "ArrowDown", "ArrowDown")
    expect(app.locator("[name=bad_format]:checked")).to_be_focused()
    assert checked(app, "bad_format") == "", "moving chooses nothing"
    press(app, "1")
    assert (checked(app, "bad_format"), checked(app, "information_present")) == ("yes", "")
    press(app, "ArrowDown", "2", "ArrowDown", "ArrowDown")
    assert checked(app, "wrong_information") == "no"
    expect(app.locator("#missing")).to_be_focused()
    press(app, "ArrowDown")
    expect(app.locator("#notes")).to_be_focused()
    app.keyboard.type("one\ntwo")
    press(app, "ArrowUp", "Home")
    app.keyboard.type("1")
    expect(app.locator("#notes")).to_have_value("1one\ntwo")
    press(app, "Escape", "ArrowDown")
    expect(app.locator("[name=decision]").first).to_be_focused()
    press(app, "3")
    assert checked(app, "decision") == "reject"
    press(app, "Escape", "ArrowDown")
    assert checked(app, "decision") == "reject"


def test_keys_are_silent_in_a_dialog_and_none_destroys(
    app: Page, live_server: LiveServer, make: Callable[..., list[Run]]
) -> None:
    [run, _other] = make(2)
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    app.wait_for_load_state("networkidle")
    press(app, "m")
    app.keyboard.type("weight")
    press(app, "Enter", "Backspace", "Backspace", "Backspace")
    expect(app.locator(".chip--field")).to_have_text(["weight"])
    expect(app.locator(".chip-remove")).to_be_focused()
    press(app, "a", "?")
    expect(app.locator("#keys")).to_be_visible()
    press(app, "x", "s", "Control+Enter")
    assert checked(app, "decision") == "approve" and not ReviewEvent.objects.exists()
    press(app, "Escape")
    expect(app.locator("#keys")).to_be_hidden()
    app.locator("details.menu summary").last.click()
    app.locator(".menu-list [data-keys-open]").click()
    app.locator("[data-keys-switch]").uncheck()
    press(app, "Escape")
    app.reload()
    app.wait_for_load_state("networkidle")
    press(app, "x", "2", "ArrowDown", "s")
    assert checked(app, "decision") == "approve" and checked(app, "bad_format") == ""
    press(app, "Control+Enter")
    expect(app.locator("h1")).to_have_text("Thing 2")
