"""A reviewer at work: the whole review on the keyboard, and what must never get lost."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from review import queue
from review.models import ReviewEvent, ReviewForm
from tests import scenes
from tests.browser.conftest import SignIn
from tests.factories import DraftFactory, RunFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def first(me: User) -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


@pytest.fixture
def second(first: Run) -> Run:
    run: Run = RunFactory(title="Werkant SD 10", subcategory=first.subcategory)
    DraftFactory(run=run)
    return run


def opened(app: Page, title: str) -> None:
    """The run's page is there, and its keys are listening."""
    expect(app.locator("h1")).to_have_text(title)
    app.wait_for_load_state()


def open_next(app: Page, live_server: LiveServer) -> None:
    app.goto(f"{live_server.url}/queue/")
    app.keyboard.press("Enter")
    opened(app, "Nordhaus AB 18-60 Li")


def keys(app: Page, *pressed: str) -> None:
    for key in pressed:
        app.keyboard.press(key)


def checked(app: Page, signal: str) -> str | None:
    return app.locator(f"[name={signal}]:checked").get_attribute("value")


def test_a_whole_review_on_the_keyboard(app: Page, live_server: LiveServer, first: Run, second: Run) -> None:
    open_next(app, live_server)
    keys(app, "1", "2", "2", "3", "4", "4", "4")
    signals = ("information_present", "bad_format", "wrong_information", "wrong_physical_dimensions")
    assert [checked(app, signal) for signal in signals] == ["yes", "no", "yes", ""]
    keys(app, "m")
    app.keyboard.type("charging time")
    keys(app, "Enter")
    app.keyboard.type("noise")
    keys(app, "Escape", "n")
    app.keyboard.type("1 and 2: steel is 13 mm, approve anyway")
    keys(app, "Escape", "a")
    expect(app.locator(".form-end button")).to_contain_text("Approve and next")
    keys(app, "Control+Enter")
    opened(app, "Werkant SD 10")
    expect(app.locator("#notice")).to_contain_text("Approved Nordhaus AB 18-60 Li.")
    event = ReviewEvent.objects.get(run=first)
    assert (event.information_present, event.bad_format, event.wrong_information) == (True, False, True)
    assert event.wrong_physical_dimensions is None
    assert event.missing_spec == ["charging time", "noise"]
    assert event.notes == "1 and 2: steel is 13 mm, approve anyway"
    assert event.decision == "approve"


def test_submitting_without_a_decision_asks_for_one(app: Page, live_server: LiveServer, first: Run) -> None:
    open_next(app, live_server)
    keys(app, "Control+Enter")
    expect(app.locator("#e-decision")).to_be_visible()
    expect(app.locator("[name=decision][value=approve]")).to_be_focused()
    assert not ReviewEvent.objects.exists()
    keys(app, "r")
    expect(app.locator("#e-decision")).to_be_hidden()


def test_letters_are_letters_while_typing_and_keys_can_be_off(
    app: Page, live_server: LiveServer, first: Run
) -> None:
    open_next(app, live_server)
    keys(app, "n")
    app.keyboard.type("axr1234sujk?")
    expect(app.locator("#notes")).to_have_value("axr1234sujk?")
    assert app.locator("[name=decision]:checked").count() == 0
    assert checked(app, "information_present") == ""
    keys(app, "Escape", "?")
    expect(app.locator("#keys")).to_be_visible()
    app.locator("[data-keys-switch]").uncheck()
    keys(app, "Escape")
    expect(app.locator("#keys")).to_be_hidden()
    app.locator("#notes").blur()
    keys(app, "a", "1")
    assert app.locator("[name=decision]:checked").count() == 0
    assert checked(app, "information_present") == ""


def test_digits_act_on_a_focused_list_of_options(app: Page, live_server: LiveServer, first: Run) -> None:
    open_next(app, live_server)
    offered = app.locator("[data-add]").all_text_contents()
    app.locator("[data-add]").first.focus()
    keys(app, "2")
    assert app.locator(".chip--field").all_text_contents() == [offered[1]]
    assert checked(app, "bad_format") == ""


def test_what_is_half_filled_survives_a_reload(app: Page, live_server: LiveServer, first: Run, me: User) -> None:
    open_next(app, live_server)
    keys(app, "2", "m")
    app.keyboard.type("charging time")
    keys(app, "Enter", "Escape", "n")
    with app.expect_response(re.compile(r"/form/$")):
        app.keyboard.type("half a thought")
    expect(app.locator("#saved")).to_contain_text("half-filled, saved")
    app.reload()
    expect(app.locator("#notes")).to_have_value("half a thought")
    expect(app.locator(".chip--field")).to_have_text(["charging time"])
    assert checked(app, "bad_format") == "yes"
    assert ReviewForm.objects.get(run=first).reviewer == me


@pytest.mark.parametrize("way", [["n"], ["m", "ArrowDown"]], ids=["n", "arrow"])
def test_words_are_added_behind_the_notes_that_stand_there(
    app: Page, live_server: LiveServer, first: Run, me: User, way: list[str]
) -> None:
    ReviewForm.objects.create(run=first, reviewer=me, round=1, revision=first.revision, notes="Too long.")
    open_next(app, live_server)
    keys(app, *way)
    app.keyboard.type(" Too heavy.")
    expect(app.locator("#notes")).to_have_value("Too long. Too heavy.")


def test_undo_brings_the_run_back_as_it_was(app: Page, live_server: LiveServer, first: Run, second: Run) -> None:
    open_next(app, live_server)
    keys(app, "3", "x", "Control+Enter")
    opened(app, "Werkant SD 10")
    app.locator("body").focus()
    keys(app, "u")
    opened(app, "Nordhaus AB 18-60 Li")
    assert checked(app, "wrong_information") == "yes"
    assert checked(app, "decision") == "reject"
    assert ReviewEvent.objects.counting().count() == 0


def test_skip_and_move_along_the_queue(app: Page, live_server: LiveServer, first: Run, second: Run) -> None:
    open_next(app, live_server)
    keys(app, "j")
    opened(app, "Werkant SD 10")
    keys(app, "k")
    opened(app, "Nordhaus AB 18-60 Li")
    app.wait_for_load_state("networkidle")  # the next one waits unseen
    keys(app, "s")
    opened(app, "Werkant SD 10")
    expect(app.locator("#notices")).to_have_text("Gave Nordhaus AB 18-60 Li back.")
    expect(app.locator("#announce")).to_contain_text("Gave Nordhaus AB 18-60 Li back. Werkant SD 10")
    app.locator("#notices a").click()
    opened(app, "Nordhaus AB 18-60 Li")


def test_the_next_one_from_a_run_without_a_form(
    app: Page, live_server: LiveServer, first: Run, second: Run
) -> None:
    queue.take(first.pk, scenes.reviewer("rosa", "Rosa", "Stein"))
    app.goto(f"{live_server.url}/runs/{first.pk}/")
    opened(app, "Nordhaus AB 18-60 Li")
    expect(app.locator(".form--held .button--primary")).to_have_text(re.compile("Review the next free run.*Ctrl"))
    keys(app, "Control+Enter")
    opened(app, "Werkant SD 10")
    keys(app, "x", "Control+Enter")
    expect(app.locator("#messages")).to_contain_text("Nothing more waits for you.")
    third: Run = RunFactory(title="A third", subcategory=first.subcategory)
    DraftFactory(run=third)
    app.goto(f"{live_server.url}/runs/{second.pk}/")
    opened(app, "Werkant SD 10")
    keys(app, "Control+Enter")
    opened(app, third.title)


def test_arrows_lead_on_from_empty_notes_alone(app: Page, live_server: LiveServer, first: Run) -> None:
    open_next(app, live_server)
    keys(app, "n", "ArrowDown")
    expect(app.locator("[name=decision]").first).to_be_focused()
    keys(app, "n")
    app.keyboard.type("two words")
    keys(app, "ArrowUp")
    expect(app.locator("#notes")).to_be_focused()


def test_the_queue_is_walked_by_keys(app: Page, live_server: LiveServer, first: Run, second: Run) -> None:
    app.goto(f"{live_server.url}/queue/")
    keys(app, "j", "j", "k", "j")
    expect(app.locator("[data-open]").nth(1)).to_be_focused()
    keys(app, "Enter")
    expect(app).to_have_url(re.compile("/runs/"))


def test_a_filter_narrows_the_list_in_place(app: Page, live_server: LiveServer, me: User) -> None:
    scenes.queue(me, scenes.reviewer("rosa", "Rosa", "Stein"))
    app.goto(f"{live_server.url}/queue/")
    app.locator(".filters summary", has_text="Subcategory").click()
    app.get_by_role("link", name="Coffee scales").click()
    expect(app.locator("[data-open]")).to_have_count(4)
    expect(app).to_have_url(re.compile(r"subcategory=coffee-scales"))
    app.go_back()
    expect(app.locator("[data-open]")).to_have_count(11)


def test_correcting_the_subcategory_is_seen_and_sent(app: Page, live_server: LiveServer, first: Run) -> None:
    open_next(app, live_server)
    keys(app, "c")
    app.locator("#subcategory").select_option("label-printers")
    expect(app.locator("#subcategory")).to_have_class(re.compile("is-corrected"))
    app.locator("#subcategory").blur()
    keys(app, "a", "Control+Enter")
    expect(app.locator("#notice")).to_be_visible()
    assert ReviewEvent.objects.get().corrections["subcategory"]["to"] == "label-printers"


def test_submitting_after_the_session_ended_keeps_the_page(app: Page, live_server: LiveServer, first: Run) -> None:
    open_next(app, live_server)
    keys(app, "n")
    app.keyboard.type("a long thought")
    app.context.clear_cookies(name="sessionid")
    keys(app, "Escape", "a", "Control+Enter")
    expect(app.locator("[data-signed-out] a")).to_be_focused()
    expect(app.locator("#notes")).to_have_value("a long thought")
    assert not ReviewEvent.objects.exists()


def test_a_session_that_ends_keeps_what_was_typed(
    app: Page, live_server: LiveServer, first: Run, me: User, sign_in: SignIn
) -> None:
    me.set_password("once more")
    me.save()
    sign_in(me)
    open_next(app, live_server)
    app.context.clear_cookies(name="sessionid")
    keys(app, "n")
    app.keyboard.type("a long thought")
    expect(app.locator("[data-signed-out]")).to_be_visible()
    expect(app.locator("#notes")).to_have_value("a long thought")
    again = app.context.new_page()
    again.goto(f"{live_server.url}/login/")
    again.locator("[name=username]").fill(me.username)
    again.locator("[name=password]").fill("once more")
    again.locator("button[type=submit]").click()
    again.wait_for_url(f"{live_server.url}/")
    again.close()
    keys(app, "Escape", "a", "Control+Enter")
    expect(app.locator("#notice")).to_contain_text("Approved Nordhaus AB 18-60 Li.")
    assert ReviewEvent.objects.get().notes == "a long thought"
