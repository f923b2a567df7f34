"""A proposal in a browser: found in administration, read, worded anew, accepted; and another one declined."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import PromptVersion
from learning.models import Proposal
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.test_pages_hold import DOUBLE_IDS, NARROW, WIDE
from tests.learning.proposals import lives

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def admin(page: Page, live_server: LiveServer, me: User, sign_in: SignIn) -> Iterator[Page]:
    """An admin's browser whose console stays clean but for what was refused on purpose."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(10_000)
    lives.proposals([me, scenes.reviewer("rosa", "Rosa", "Stein")])
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))
    page.goto(f"{live_server.url}/admin/")
    yield page
    assert [line for line in said if "status of 422" not in line] == []


def test_one_is_accepted_with_words_of_ones_own(admin: Page) -> None:
    admin.get_by_role("link", name="3 proposals wait for a decision").click()
    entry = admin.get_by_role("listitem").filter(has_text="came back in 2 subcategories")
    entry.get_by_role("link", name="Bad format").click()
    expect(admin.locator("h1")).to_have_text("Bad format")
    strips = admin.locator(".figure")
    expect(strips).to_have_count(2)
    expect(strips.nth(0)).to_contain_text("5 of 10")
    expect(strips.nth(0).locator(".is-raised")).to_have_count(5)
    expect(admin.locator(".evidence-list li")).to_have_count(8)

    change = admin.locator("#change")
    expect(change.locator("tr.added")).to_contain_text(["Reviewers found the form loose."])
    expect(change).to_contain_text("User prompt")
    text = admin.get_by_role("textbox", name="What the prompt shall say")
    text.fill("One fact per specification, numbers without units.")
    expect(change.locator("tr.added").first).to_contain_text("One fact per specification, numbers without units.")
    admin.get_by_label("at the end of the system prompt").check()
    expect(change).to_contain_text("System prompt")
    expect(change).not_to_contain_text("User prompt")

    text.fill("One fact per <<SPECIFICATON>>.")
    admin.get_by_role("button", name="Accept as a new version").click()
    expect(admin.locator("#accept .error")).to_contain_text("unknown placeholder <<SPECIFICATON>>")
    admin.get_by_role("textbox", name="What the prompt shall say").fill(
        "One fact per specification, numbers without units."
    )
    admin.get_by_label("Note", exact=True).fill("Loose forms keep coming back")
    admin.get_by_role("button", name="Accept as a new version").click()

    expect(admin).to_have_url(re.compile(r"/admin/generation/prompt/\d+/versions/3/$"))
    expect(admin.locator(".notice")).to_contain_text("It is not live yet.")
    made = PromptVersion.objects.filter(prompt__flow="item", prompt__stage="extraction").latest("number")
    assert made.system.endswith("\n\nOne fact per specification, numbers without units.")
    assert made.note == "Loose forms keep coming back" and made.author is not None
    assert made.prompt.live != made


def test_another_is_declined_with_a_reason(admin: Page) -> None:
    admin.get_by_role("link", name="3 proposals wait for a decision").click()
    admin.get_by_role("link", name="Missing: charging time").first.click()
    admin.get_by_role("button", name="Decline").click()
    expect(admin.locator(".decision .error")).to_have_text("This field is required.")
    admin.get_by_label("Why not").fill("Scales are not charged")
    admin.keyboard.press("Enter")
    expect(admin.locator(".notice--success")).to_contain_text("Declined.")
    expect(admin.get_by_text("2 wait for a decision")).to_be_visible()
    expect(admin.get_by_text("“Scales are not charged”")).to_be_visible()


def test_a_strip_is_walked_by_keyboard(admin: Page, live_server: LiveServer) -> None:
    stayed = Proposal.objects.get(cause="stayed_on")
    admin.goto(f"{live_server.url}/admin/studio/proposals/{stayed.pk}/")
    rows = admin.locator(".figure-rows .strip")
    expect(rows).to_have_count(2)
    last = rows.nth(1).locator("a").last
    last.focus()
    admin.keyboard.press("ArrowLeft")
    expect(rows.nth(1).locator("a").nth(8)).to_be_focused()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_hold(admin: Page, live_server: LiveServer, size: dict[str, int]) -> None:
    admin.set_viewport_size(size)  # type: ignore[arg-type]
    pages = [f"{one.pk}/" for one in Proposal.objects.all()]
    for address in ("", *pages):
        admin.goto(f"{live_server.url}/admin/studio/proposals/{address}")
        assert admin.evaluate(DOUBLE_IDS) == [], address
        assert admin.locator("h1").count() == 1, address
        assert admin.evaluate("document.documentElement.scrollWidth") <= size["width"], address
