"""Thresholds and guidance in Chromium: tried on past reviews, seen in the prompt, before they hold."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation import prompts
from generation.models import Subcategory
from learning import backtests, guidance
from learning.models import Backtest, Guidance, ThresholdSet
from tests.factories import SubcategoryFactory
from tests.learning.histories import history

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BAD = {"bad_format": True}


@pytest.fixture
def drills(me: User) -> Subcategory:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    prompts.seed()
    guidance.seed()
    made: Subcategory = SubcategoryFactory(name="Drills", slug="drills")
    history(made, [[BAD], *[[{}]] * 8, [BAD]])
    return made


def test_thresholds_are_tried_and_saved(app: Page, live_server: LiveServer, drills: Subcategory) -> None:
    app.goto(f"{live_server.url}/admin/studio/thresholds/")
    app.get_by_role("link", name="Drills", exact=True).click()
    app.get_by_label("Bad format").fill("2")
    app.keyboard.press("Enter")
    expect(app.get_by_role("heading", name="Backtest")).to_be_visible()
    row = app.get_by_role("row", name="tried 2")
    expect(row).to_contain_text("%")
    assert (app.locator(".lanes .lane--new title").first.text_content() or "").startswith("on ")
    app.get_by_text("Times of change").first.click()
    expect(app.get_by_role("listitem").filter(has_text="on since").first).to_be_visible()
    app.get_by_label("Why").fill("forms matter here")
    app.get_by_role("button", name="Save for Drills").click()
    expect(app.get_by_text("These thresholds hold for Drills from now on.")).to_be_visible()
    expect(app.get_by_text("forms matter here")).to_be_visible()
    expect(app.locator(".strip--on")).to_have_count(1)
    app.goto(f"{live_server.url}/learning/drills/")
    expect(app.locator(".matrix tr.is-on")).to_have_count(1)


def test_another_policy_is_tried_on_a_phone(app: Page, live_server: LiveServer, drills: Subcategory) -> None:
    app.set_viewport_size({"width": 390, "height": 844})
    app.goto(f"{live_server.url}/admin/studio/policy/")
    expect(app.get_by_label("Flow and category").locator("option")).to_have_text(
        [f"Item, {drills.category}: 10 reviews"]
    )
    app.get_by_role("button", name="Try it on past reviews").click()
    expect(app.get_by_role("row", name="tried, steady –").first).to_be_attached()
    assert app.evaluate("document.documentElement.scrollWidth") <= 390


def test_progress_moves_by_itself_and_ends_in_the_result(
    app: Page, live_server: LiveServer, me: User, drills: Subcategory
) -> None:
    of_ten = {"bad_format_trigger": 1}
    begun = Backtest.objects.create(flow="item", subcategory=drills, by=me, of_ten=of_ten, total=10, done=4)
    app.goto(f"{live_server.url}/admin/studio/backtests/{begun.pk}/")
    expect(app.get_by_text("4 of 10 events gone through")).to_be_visible()
    Backtest.objects.filter(pk=begun.pk).update(done=8)
    expect(app.get_by_text("8 of 10 events gone through")).to_be_visible()
    backtests.run(begun.pk)
    expect(app.get_by_text("10 reviews gone through.")).to_be_visible()
    assert not ThresholdSet.objects.exists()


def test_a_text_is_seen_in_its_prompt_saved_made_live_and_restored(
    app: Page, live_server: LiveServer, drills: Subcategory
) -> None:
    row = Guidance.objects.get(flow="item", key="bad_format.extraction")
    app.goto(f"{live_server.url}/admin/studio/influence/")
    app.get_by_role("row", name="Bad format trigger or own review Extraction").get_by_role("link").first.click()
    app.get_by_label("Text").fill("Mind the form.")
    expect(app.locator("#effect .injected-text")).to_have_text("Mind the form.")
    app.get_by_label("for", exact=True).select_option("drills")
    expect(app.locator("#effect")).to_contain_text("it does not speak now")
    expect(app.locator("#effect .cause")).to_contain_text("2 of 10 runs")
    app.get_by_label("What changes, and why").fill("shorter")
    app.get_by_role("button", name="Save as version 2").click()
    expect(app.get_by_text("Version 2 is saved. It is not live yet.")).to_be_visible()
    expect(app.locator(".words del, .words ins").first).to_be_visible()
    row.refresh_from_db()
    assert row.text != "Mind the form."
    app.get_by_label("Why", exact=True).fill("reviewers asked for it")
    app.get_by_role("button", name="Make version 2 live").click()
    expect(app.get_by_text("on, version 2 is live")).to_be_visible()
    row.refresh_from_db()
    assert row.text == "Mind the form."
    app.get_by_role("button", name="Restore the shipped text").click()
    expect(app.get_by_text("The shipped text is live again.")).to_be_visible()
    app.get_by_text("Switch it off").click()
    app.locator("#turn-why").fill("too loud")
    app.get_by_role("button", name="Be silent from now on").click()
    expect(app.get_by_text("It is silent from now on.")).to_be_visible()
    row.refresh_from_db()
    assert (row.text, row.enabled) == (guidance.shipped_text("item", "bad_format.extraction"), False)
