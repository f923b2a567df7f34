"""A value corrected where it stands, on the keyboard, with the signal that it suggests."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Draft, Run
from review.models import ReviewEvent, ReviewForm
from tests import scenes

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LENGTH = "[data-name='value:/dimensions/length/value']"


@pytest.fixture
def run(me: User) -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


def keys(app: Page, *pressed: str) -> None:
    for key in pressed:
        app.keyboard.press(key)


def opened(app: Page, live_server: LiveServer, run: Run) -> None:
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    expect(app.locator("h1")).to_have_text(run.title)
    app.wait_for_load_state()


def test_corrected_on_the_keyboard(app: Page, live_server: LiveServer, run: Run) -> None:
    opened(app, live_server, run)
    app.locator("#f-dimensions-length").hover()
    keys(app, "e")
    expect(app.locator(LENGTH)).to_be_focused()
    app.keyboard.type("194")
    keys(app, "Enter")
    suggested = app.locator(".signal .suggest")
    expect(suggested).to_contain_text("Length")
    suggested.click()
    expect(app.locator("[name=wrong_physical_dimensions][value=yes]")).to_be_checked()
    keys(app, "a", "Control+Enter")
    expect(app.locator("h1")).not_to_have_text(run.title)
    event = ReviewEvent.objects.get()
    assert [(change["pointer"], change["to"]) for change in event.corrections["values"]] == [
        ("/dimensions/length/value", 194)
    ]
    assert event.wrong_physical_dimensions is True
    assert Draft.objects.get(run=run, revision=3).made_by == "person"


def test_submitted_straight_from_the_value(app: Page, live_server: LiveServer, run: Run) -> None:
    opened(app, live_server, run)
    app.locator("#f-dimensions-length").hover()
    keys(app, "e")
    app.keyboard.type("194")
    keys(app, "Enter", "a", "Control+Enter")
    expect(app.locator("h1")).not_to_have_text(run.title)
    assert ReviewEvent.objects.get().corrections["values"][0]["to"] == 194


def test_letters_in_a_field_are_letters_and_escape_leaves_it(app: Page, live_server: LiveServer, run: Run) -> None:
    opened(app, live_server, run)
    app.locator("#f-name").hover()
    keys(app, "e")
    app.keyboard.type("rax")
    keys(app, "Escape")
    expect(app.locator("[name=decision]:checked")).to_have_count(0)
    keys(app, "a")
    expect(app.locator("[name=decision][value=approve]")).to_be_checked()
    expect(app.locator("[name='value:/name']")).to_have_value("rax")


def test_typed_corrections_survive_a_reload(app: Page, live_server: LiveServer, run: Run) -> None:
    opened(app, live_server, run)
    app.locator("#f-dimensions-length").hover()
    keys(app, "e")
    with app.expect_response(lambda answer: answer.url.endswith("/form/")):
        app.keyboard.type("194")
    assert ReviewForm.objects.get().values == {"/dimensions/length/value": "194"}
    app.reload()
    expect(app.locator(LENGTH)).to_be_visible()
    expect(app.locator(LENGTH)).to_have_value("194")


def test_what_was_empty_is_offered_as_missing(app: Page, live_server: LiveServer, run: Run) -> None:
    opened(app, live_server, run)
    field = app.locator("[data-name='value:/dimensions/diameter/value']")
    field.evaluate("field => field.closest('.correct').querySelector('[data-correct]').click()")
    app.keyboard.type("43")
    suggested = app.locator(".suggest")
    expect(suggested).to_contain_text("Diameter")
    suggested.click()
    expect(app.locator(".chip--field")).to_contain_text("Diameter")
