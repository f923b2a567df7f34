"""What every page must hold: names for controls, visible focus, nothing cut off, three steps on a phone."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Batch, Run, Status
from tests import scenes
from tests.browser.conftest import SignIn
from tests.factories import DraftFactory, RunFactory
from tests.generation.editorials import SOURCE as TOPICS
from tests.generation.question.records import QUESTION, SOURCE
from tests.people import signed_in
from tests.review import panels
from tests.review.test_editorial_page import BLOCKS, RECORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

NAMELESS = """() => {
  const fields = 'input, select, textarea';
  const hidden = '.three input, .choice input';
  const name = (one) => one.getAttribute('aria-label')
    || [...(one.labels ?? [])].map((label) => label.textContent).join('')
    || (one.matches(fields) ? '' : one.textContent);
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
    .filter((one) => one.checkVisibility() || one.matches(hidden))
    .filter((one) => !name(one).trim())
    .map((one) => one.outerHTML.slice(0, 120));
}"""

DOUBLE_IDS = """() => {
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  return ids.filter((id, at) => ids.indexOf(id) !== at);
}"""


@pytest.fixture
def runs(me: User) -> dict[str, Run]:
    return scenes.queue(me, scenes.reviewer("rosa", "Rosa", "Stein"))


def addresses(runs: dict[str, Run]) -> list[str]:
    of = {run.status: run for run in runs.values()}
    return [
        "/queue/",
        "/queue/?view=failed",
        f"/runs/{runs['drill'].pk}/",
        f"/runs/{runs['LP-58 mobile label printer'].pk}/",
        f"/runs/{of[Status.GENERATING].pk}/",
        f"/runs/{of[Status.APPROVED].pk}/",
        f"/batches/{Batch.objects.get().pk}/",
    ]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_is_named_whole_and_quiet(
    app: Page, live_server: LiveServer, runs: dict[str, Run], size: Any
) -> None:
    app.set_viewport_size(size)
    for address in addresses(runs):
        app.goto(live_server.url + address)
        assert app.evaluate(NAMELESS) == [], address
        assert app.evaluate(DOUBLE_IDS) == [], address
        assert app.locator("h1").count() == 1, address
        assert app.locator("main").count() == 1, address
        width = app.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], f"{address} scrolls sideways"


def test_focus_is_always_visible(app: Page, live_server: LiveServer, runs: dict[str, Run]) -> None:
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    app.keyboard.press("Tab")
    expect(app.locator(".skip").first).to_be_focused()
    seen = """() => {
      const one = document.activeElement;
      const shown = one.matches('.three input, .choice input') ? one.closest('label')
        : one.id === 'missing' ? one.closest('.tokens') : one;
      return getComputedStyle(shown).outlineStyle;
    }"""
    for _step in range(60):
        app.keyboard.press("Tab")
        if app.evaluate("document.activeElement === document.body"):
            break  # past the last one
        assert app.evaluate(seen) != "none", app.evaluate("document.activeElement.outerHTML.slice(0, 120)")


def test_the_form_is_complete_without_scrolling(app: Page, live_server: LiveServer, runs: dict[str, Run]) -> None:
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    form = app.locator("#review-form")
    assert form.evaluate("(form) => form.scrollHeight <= form.clientHeight")
    foot = app.locator(".form-foot").bounding_box()
    assert foot
    assert foot["y"] + foot["height"] <= WIDE["height"]
    assert app.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]


def test_the_button_stands_still_whatever_a_run_brings(app: Page, live_server: LiveServer, me: User) -> None:
    """Findings, suggested fields and notices come and go above it: the notes take what is left."""
    drill = scenes.drill(scenes.subcategories()["drills"])
    bare: Run = RunFactory(title="Bare", flow="question", source=SOURCE)
    DraftFactory(run=bare, content=QUESTION)
    form_end = "document.querySelector('.form-end button').getBoundingClientRect().bottom"
    for size in (WIDE, {"width": 1280, "height": 1000}):
        app.set_viewport_size(size)  # type: ignore[arg-type]
        ends = set()
        for run in (drill, bare):
            app.goto(f"{live_server.url}/runs/{run.pk}/")
            ends.add(round(app.evaluate(form_end)))
        assert len(ends) == 1, f"{ends} of {size}"


def test_a_long_record_scrolls_in_its_pane_and_lengthens_no_page(app: Page, live_server: LiveServer) -> None:
    run = RunFactory(flow="editorial", title="Rainwear", source=TOPICS)
    DraftFactory(run=run, content=RECORD | {"blocks": BLOCKS * 6}, made_by="enrich")
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    assert app.locator(".pane--record").evaluate("(pane) => pane.scrollHeight > pane.clientHeight")
    assert app.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]


def test_three_steps_on_a_phone(app: Page, live_server: LiveServer, runs: dict[str, Run]) -> None:
    app.set_viewport_size(NARROW)  # type: ignore[arg-type]
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    panes = {"record": "#pane-record", "source": "#pane-source", "form": "#review-form"}
    for step, pane in panes.items():
        app.locator(f"#step-{step}").check(force=True)
        for other in panes.values():
            expect(app.locator(other)).to_be_visible(visible=other == pane)
    app.locator("label.revise").click()
    button = app.locator(".steps button")
    expect(button).to_contain_text("Send back and next")
    button.click()
    expect(app.locator("#notice")).to_contain_text("Sent Nordhaus AB 18-60 Li back.")


def test_pointing_at_a_value_marks_its_words(app: Page, live_server: LiveServer, runs: dict[str, Run]) -> None:
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    app.locator("#f-dimensions-length").hover()
    expect(app.locator("mark.is-active")).to_have_text("194 mm")
    expect(app.locator("#line-9")).to_have_class(re.compile("is-active"))
    app.locator("[data-findings]").click()
    expect(app.locator(".field.is-active")).to_contain_text("Drilling, steel")
    app.locator("[data-findings]").click()
    expect(app.locator(".field.is-active")).to_contain_text("Length")


def test_the_theme_is_remembered(app: Page, live_server: LiveServer, runs: dict[str, Run]) -> None:
    app.emulate_media(color_scheme="light")
    app.goto(f"{live_server.url}/queue/")
    app.locator("[data-theme-switch]").click()
    app.reload()
    assert app.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_without_a_script_a_review_can_be_sent(
    browser: Any, live_server: LiveServer, runs: dict[str, Run], me: User, app: Page
) -> None:
    context = browser.new_context(java_script_enabled=False, storage_state=app.context.storage_state())
    page = context.new_page()
    page.goto(f"{live_server.url}/queue/")
    page.get_by_role("button", name="Review next").click()
    page.locator("label.approve").click()
    page.locator(".form-end button").click()
    expect(page.locator("#notice")).to_contain_text("Approved")
    context.close()


def test_the_bar_of_a_run_fits_a_phone_with_every_figure(
    app: Page, live_server: LiveServer, runs: dict[str, Run], sign_in: SignIn
) -> None:
    sign_in(panels.adjudicator())
    app.set_viewport_size({"width": 390, "height": 844})
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    expect(app.locator(".run-bar")).to_contain_text("Set aside")
    app.locator(".today").evaluate("one => one.textContent = '180 today'")
    app.locator(".place").evaluate("one => one.textContent = '1 of 350'")
    assert app.evaluate("document.documentElement.scrollWidth") == 390
    expect(app.locator(".place")).to_be_in_viewport(ratio=1)


def test_the_line_under_approve_knows_of_corrections(
    app: Page, live_server: LiveServer, runs: dict[str, Run]
) -> None:
    app.goto(f"{live_server.url}/runs/{runs['drill'].pk}/")
    app.keyboard.press("a")
    expect(app.locator(".will")).to_have_text("The record is final as it stands", use_inner_text=True)
    field = app.locator("[data-now]").first
    app.locator("[data-correct]").first.check(force=True)
    field.fill("something else")
    expect(app.locator(".will")).to_have_text("The record is final with your corrections", use_inner_text=True)
    field.fill(field.get_attribute("data-now") or "")
    expect(app.locator(".will")).to_have_text("The record is final as it stands", use_inner_text=True)


def test_nothing_blank_stands_beneath_what_an_option_was(app: Page, live_server: LiveServer) -> None:
    run = RunFactory(flow="question", source=SOURCE, revision=2)
    before = [option | {"text": f"{option['text']} before"} for option in QUESTION["options"]]
    DraftFactory(run=run, revision=1, content=QUESTION | {"options": before})
    DraftFactory(run=run, revision=2, content=QUESTION)
    app.goto(f"{live_server.url}/runs/{run.pk}/")
    option = app.locator(".exam-option > div").first
    expect(option.locator(".was")).to_have_text("was Pericarditis before")
    bottoms = [
        one.evaluate("one => one.getBoundingClientRect().bottom") for one in (option, option.locator(".was"))
    ]
    assert bottoms[0] - bottoms[1] < 2


def test_the_chosen_tab_of_the_queue_is_in_view_on_a_phone(
    app: Page, live_server: LiveServer, runs: dict[str, Run]
) -> None:
    app.set_viewport_size(NARROW)  # type: ignore[arg-type]
    for view in ("all", "reviewed", "waiting"):
        app.goto(f"{live_server.url}/queue/?view={view}")
        expect(app.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
    app.locator(".tabs a").last.click()
    expect(app.locator(".tabs a").last).to_have_attribute("aria-current", "page")
    expect(app.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)


def test_the_strips_that_moved_fit_a_phone(app: Page, live_server: LiveServer, me: User) -> None:
    app.set_viewport_size(NARROW)  # type: ignore[arg-type]
    run = scenes.drill(scenes.subcategories()["drills"])
    raised = {"decision": "reject", "wrong_information": "yes", "missing_spec": ["charging time"]}
    signed_in(me).post(f"/runs/{run.pk}/review/", raised)
    app.goto(f"{live_server.url}/queue/?done={run.pk}")
    parts = app.locator(".moved .strip, .moved .tally")
    assert parts.count() == 4
    for part in parts.all():
        expect(part).to_be_in_viewport(ratio=0.95)
