"""The record's values on the keyboard: from one in doubt to the next, opened where the focus is."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from tests import scenes
from tests.factories import DraftFactory, RunFactory
from tests.generation.question.records import QUESTION, SOURCE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LENGTH, STEEL, IMPACT = "dimensions/length", "specifications/9", "specifications/6"
SOUND = {
    "name": "Nordhaus AB 18-60 Li",
    "description": "bürstenlosem Motor",
    "specifications": [{"name": "Akkuspannung", "value": 18, "unit": "V"}],
    "dimensions": None,
    "sources": ["source"],
}


@pytest.fixture
def run(me: User) -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


@pytest.fixture
def opened(app: Page, live_server: LiveServer, run: Run) -> Page:
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    expect(app.locator("h1")).to_have_text(run.title)
    app.wait_for_load_state()
    return app


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


def at(page: Page) -> str:
    """The pointer of the value that has the focus: its box or the field that this opens."""
    return str(
        page.evaluate(
            """() => {
              const parts = document.activeElement.closest(".correct").querySelectorAll("[data-name]");
              return parts[0].dataset.name.replace("value:/", "").replace(/.(value|unit)$/, "");
            }"""
        )
    )


def marked(page: Page) -> str:
    return str(page.locator("[data-field].is-active").get_attribute("id")).removeprefix("f-").replace("-", "/")


def test_next_in_doubt_is_what_e_opens_also_after_a_correction(opened: Page) -> None:
    keys(opened, "e")
    assert at(opened) == STEEL
    opened.keyboard.type("13")
    keys(opened, "Enter", "f")
    assert (at(opened), marked(opened)) == (LENGTH, LENGTH)
    keys(opened, "e")
    assert at(opened) == LENGTH
    keys(opened, "Enter", "f")  # from here on: what is no finding, and does not stand in the source
    assert at(opened) == marked(opened) != STEEL
    expect(opened.locator(".is-active .value--unsupported")).to_be_visible()
    seen = []
    for _press in range(9):
        seen.append(at(opened))
        keys(opened, "f")
    assert IMPACT in seen and STEEL in seen and seen[0] in seen[1:], seen


def test_a_resting_mouse_points_at_nothing_that_is_scrolled_under_it(opened: Page) -> None:
    opened.set_viewport_size({"width": 1280, "height": 420})
    opened.locator("#f-specifications-0").hover()
    for _press in range(3):
        keys(opened, "f")
        opened.wait_for_timeout(120)  # ms: the browser tells of the mouse after it has scrolled
        assert at(opened) == marked(opened)
    opened.locator("#f-specifications-4").hover()
    keys(opened, "e")
    assert at(opened) == "specifications/4"


def test_without_findings_the_first_value_opens_and_arrows_lead_on(opened: Page, run: Run) -> None:
    sound = RunFactory(source=run.source, title=run.title)
    DraftFactory(run=sound, content=SOUND)
    opened.goto(opened.url.replace(str(run.pk), str(sound.pk)))
    opened.wait_for_load_state()
    keys(opened, "f", "e")
    assert at(opened) == "name"
    keys(opened, "Escape", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp")
    assert at(opened) == marked(opened) == "specifications/0"
    keys(opened, "Enter")
    opened.keyboard.type("20")
    expect(opened.locator("[data-name='value:/specifications/0/value']")).to_have_value("20")


def test_both_lead_out_of_the_other_tabs(opened: Page) -> None:
    for key, tab in (("f", "JSON"), ("e", "Changes")):
        with opened.expect_response(lambda answer: "/queue/" not in answer.url):
            opened.get_by_role("link", name=tab).click()
        expect(opened.locator("#record-fields")).to_be_hidden()
        keys(opened, key)
        expect(opened.locator("#record-fields")).to_be_visible()
        expect(opened.locator("[data-fields]")).to_have_attribute("aria-current", "true")
        assert at(opened) == STEEL


def test_a_suggested_signal_is_reached_and_confirmed(opened: Page) -> None:
    keys(opened, "g")  # none yet
    keys(opened, "f", "f", "e")
    opened.keyboard.type("194")
    keys(opened, "Enter", "g")
    expect(opened.locator(".suggest")).to_be_focused()
    keys(opened, "Enter")
    expect(opened.locator("[name=wrong_physical_dimensions][value=yes]")).to_be_checked()


def test_the_new_keys_are_silent_with_the_others(opened: Page) -> None:
    opened.evaluate("localStorage.setItem('single-keys', 'off')")
    keys(opened, "e", "f", "g", "o")
    expect(opened.locator("[data-correct]:checked, .is-active, [data-field] :focus")).to_have_count(0)


def test_the_key_of_a_question_opens_and_closes(app: Page, live_server: LiveServer, me: User) -> None:
    asked = RunFactory(flow="question", title="Chest pain", source=SOURCE)
    DraftFactory(run=asked, content=QUESTION)
    app.goto(f"{live_server.url}/runs/{asked.pk}/")
    app.wait_for_load_state()
    summary = app.locator(".exam-key > summary")
    expect(summary).to_have_text(re.compile("Show the key.*o"))
    keys(app, "o")
    expect(app.locator(".exam-answers")).to_be_visible()
    expect(summary).to_be_focused()  # which says aloud what it did
    keys(app, "ArrowDown", "o")
    expect(app.locator(".exam-answers")).to_be_hidden()
