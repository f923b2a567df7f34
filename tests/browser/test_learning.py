"""The learning pages in a browser: strips by keyboard, stages without a reload, the switch, nothing cut off."""

from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Prompt, Run
from learning import facts
from learning.models import Guidance, Switch
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.test_pages_hold import DOUBLE_IDS, NAMELESS, NARROW, WIDE
from tests.factories import SubcategoryFactory
from tests.learning.histories import summarise
from tests.learning.scenes import learned
from tests.learning.uplift.worlds import live, write

FITS = "one => one.scrollWidth <= one.clientWidth"
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def histories(me: User, sign_in: SignIn) -> None:
    """Reviews to look at, by people of whom one may do everything."""
    learned([me, scenes.reviewer("rosa", "Rosa", "Stein")])
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))


@pytest.fixture
def admin(app: Page, histories: None) -> Page:
    return app


ADDRESSES = [
    "/",
    "/learning/",
    "/learning/cordless-drills/",
    "/learning/coffee-grinders/",
    "/admin/",
    "/admin/generation/prompt/",
    "/admin/generation/run/",
    "/admin/generation/apikey/add/",
    "/admin/review/reviewevent/",
    "/admin/learning/guidance/",
    "/admin/auth/user/",
]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_is_named_whole_and_quiet(admin: Page, live_server: LiveServer, size: Any) -> None:
    admin.set_viewport_size(size)
    prompt, text = Prompt.objects.get(stage="extraction"), Guidance.objects.all()[0]
    more = [f"/admin/generation/prompt/{prompt.pk}/change/", f"/admin/generation/prompt/{prompt.pk}/versions/1/"]
    more += [
        f"/admin/generation/prompt/{prompt.pk}/versions/?a=1&b=2",
        f"/admin/studio/prompts/{prompt.pk}/preview/",
    ]
    for address in [*ADDRESSES, *more, f"/admin/learning/guidance/{text.pk}/change/"]:
        admin.goto(live_server.url + address)
        nameless = [one for one in admin.evaluate(NAMELESS) if 'type="submit"' not in one]  # named by its value
        assert nameless == [], address
        assert admin.evaluate(DOUBLE_IDS) == [], address
        assert admin.locator("h1").count() == 1, address
        assert admin.evaluate("document.documentElement.scrollWidth") <= size["width"], (
            f"{address} scrolls sideways"
        )


def test_a_phone_shows_newest_run_window_and_corrections_unscrolled(
    admin: Page, live_server: LiveServer, me: User
) -> None:
    admin.goto(f"{live_server.url}/learning/cordless-drills/")
    expect(admin.locator("td.num .on").first).to_be_visible()
    expect(admin.locator(".matrix-window").first).to_be_hidden()
    admin.set_viewport_size(NARROW)  # type: ignore[arg-type]
    expect(admin.locator(".matrix tr.is-on .matrix-window").first).to_contain_text("on")
    assert admin.locator(".matrix-scroll").evaluate(FITS)
    pans = SubcategoryFactory(slug="pans")
    write(pans, live(Random(1), 60, {False: 0.4, True: 0.1}.__getitem__), me)
    for run in Run.objects.filter(subcategory=pans):
        summarise(run)
    facts.fold()
    admin.goto(f"{live_server.url}/learning/pans/")
    expect(admin.locator(".recurrence td").first).to_have_attribute("data-label", "before guidance")
    assert admin.locator(".scroll:has(.recurrence)").evaluate(FITS)


def test_a_fold_of_the_api_s_page_is_one_line(admin: Page, live_server: LiveServer) -> None:
    admin.goto(f"{live_server.url}/api/v1/docs")
    box = admin.get_by_text("Example of the answer").first.bounding_box()
    assert box and box["height"] < 45


def test_what_a_run_left_behind_stands_below_the_right_heads(
    app: Page, live_server: LiveServer, me: User, sign_in: SignIn
) -> None:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))
    run = scenes.drill(scenes.subcategories()["drills"])
    scenes.trail(run)
    app.goto(f"{live_server.url}/admin/generation/run/{run.pk}/change/")
    for name in ("Drafts", "Calls", "Judgements"):
        table = app.get_by_role("group", name=name).locator("table")
        values = table.locator("tbody tr").first.locator("td:visible").all()
        heads = table.locator("thead th:visible").all()
        assert len(heads) == len(values) > 4
        for head, value in zip(heads, values, strict=True):
            at, below = head.bounding_box(), value.bounding_box()
            assert at and below and at["x"] == below["x"], f"{name}: {head.inner_text()}"


def test_a_strip_is_one_tab_stop_and_arrows_move_inside(admin: Page, live_server: LiveServer) -> None:
    admin.goto(f"{live_server.url}/learning/")
    strip = admin.locator("[data-strip]").first
    cells = strip.locator("a.cell")
    assert strip.locator("a.cell:not([tabindex='-1'])").count() == 1
    cells.last.focus()
    admin.keyboard.press("ArrowLeft")
    expect(cells.nth(8)).to_be_focused()
    admin.keyboard.press("Home")
    expect(cells.first).to_be_focused()
    admin.keyboard.press("ArrowLeft")
    expect(cells.first).to_be_focused()
    assert strip.locator("a.cell[tabindex='0']").count() == 1
    admin.keyboard.press("Tab")
    assert not strip.evaluate("(strip) => strip.contains(document.activeElement)")
    admin.keyboard.press("Shift+Tab")
    expect(cells.first).to_be_focused()
    admin.keyboard.press("Enter")
    admin.wait_for_url("**/runs/**")


def test_stages_change_without_a_reload_and_each_cause_opens_its_reviews(
    admin: Page, live_server: LiveServer
) -> None:
    admin.goto(f"{live_server.url}/learning/cordless-drills/")
    admin.evaluate("window.same = true")
    cause = admin.locator(".injected--attention").filter(has_text="Wrong dimensions")
    expect(cause.locator("li").first).to_be_hidden()
    cause.locator("summary").click()
    expect(cause.locator("li").first).to_contain_text("length in cm read as mm")
    admin.get_by_role("navigation", name="Stages").get_by_role("link", name="supervisor").click()
    expect(admin.locator("#h-prompt")).to_have_text("What the next supervisor is told")
    assert admin.evaluate("window.same")
    assert "stage=supervisor" in admin.url
    admin.go_back()
    expect(admin.locator("#h-prompt")).to_have_text("What the next extraction is told")


def test_learning_is_switched_off_with_a_reason_and_on_again(admin: Page, live_server: LiveServer) -> None:
    admin.goto(f"{live_server.url}/learning/cordless-drills/")
    admin.get_by_text("Switch learning off here").click()
    admin.get_by_label("Why").fill("two products in one photo")
    admin.get_by_role("button", name="Switch it off").click()
    expect(admin.locator(".switch-state")).to_contain_text("two products in one photo")
    expect(admin.locator(".injected--attention")).to_have_count(0)
    assert Switch.objects.count() == 1
    admin.get_by_role("button", name="Switch it on again").click()
    expect(admin.locator(".injected--attention").first).to_be_visible()


def test_the_editor_marks_placeholders_and_tells_a_bad_one_at_its_field(
    page: Page, histories: None, live_server: LiveServer
) -> None:
    prompt = Prompt.objects.get(stage="extraction")
    page.goto(f"{live_server.url}/admin/generation/prompt/{prompt.pk}/change/")
    text = page.get_by_label("User prompt")
    expect(page.locator(".hole--review")).to_have_text("<<EXTRACTION_REVIEW>>")
    text.press("Control+End")
    text.press_sequentially("\n<<SUBCATEGRY>>")
    expect(page.locator(".hole").last).to_have_text("<<SUBCATEGRY>>")
    with page.expect_response(lambda answer: answer.url.endswith("/change/")) as answered:
        text.press("Control+Enter")
    assert answered.value.status == 422
