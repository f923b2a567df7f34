"""Texts that run from right to left stand in their own order, on a page that runs from left to right."""

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from tests import scenes
from tests.factories import DraftFactory, RunFactory
from tests.review import panels

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TITLE = "مثقاب لاسلكي XR-18 من نوردهاوس"
TEXT = f"{TITLE}\nالجهد: 18 V، السعة 5.0 Ah.\nWeight: 2.1 kg (بدون بطارية)"
RECORD = {
    "name": TITLE,
    "brand": "Nordhaus",
    "specifications": [{"name": "الجهد", "value": "18 V، مع شاحن", "unit": ""}],
}


def direction(of: Locator) -> str:
    return str(of.evaluate("one => getComputedStyle(one).direction"))


@pytest.fixture
def arabic() -> Run:
    run: Run = RunFactory(title=TITLE, source={"title": TITLE, "text": TEXT}, subcategory=None)
    DraftFactory(run=run, content=RECORD)
    return run


def test_each_text_has_the_direction_of_its_words(app: Page, live_server: LiveServer, arabic: Run) -> None:
    app.goto(f"{live_server.url}/queue/")
    row = app.locator(".what")
    assert direction(row) == "rtl" and direction(row.locator("..")) == "ltr"
    row.click()
    assert direction(app.locator("h1")) == "rtl"
    lines = app.locator(".source li")
    assert [direction(lines.nth(n)) for n in range(1, 4)] == ["rtl", "rtl", "ltr"]
    values = app.locator(".field .value")
    assert direction(values.filter(has_text="مثقاب").first) == "rtl"
    assert direction(values.filter(has_text="Nordhaus").first) == "ltr"
    app.locator("#notes").fill("ناقص")
    assert direction(app.locator("#notes")) == "rtl"


def test_a_mark_does_not_split_a_line(app: Page, live_server: LiveServer, arabic: Run) -> None:
    """What is read first stands at the right, be it marked or not."""
    app.goto(f"{live_server.url}/runs/{arabic.pk}/")
    line = app.locator(".source li").nth(2)
    expect(line.locator("mark").first).to_be_visible()
    lefts = line.evaluate(
        """line => [...line.childNodes].map((node) => {
             const range = document.createRange();
             range.selectNodeContents(node);
             return range.getBoundingClientRect().left;
           })"""
    )
    assert len(lefts) > 1 and lefts == sorted(lefts, reverse=True)


def test_what_a_person_wrote_has_its_direction_in_the_history(
    app: Page, live_server: LiveServer, arabic: Run
) -> None:
    panels.say(arabic, scenes.reviewer("rosa", "Rosa", "Stein"), notes="الوزن غير صحيح.")
    app.goto(f"{live_server.url}/runs/{arabic.pk}/")
    assert direction(app.locator(".timeline .said").first) == "rtl"
