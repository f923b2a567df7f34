"""A prompt from an admin's first word to live and back: refused, mended, previewed, approved, undone."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation import prompts
from generation.models import Prompt
from tests import scenes
from tests.browser.conftest import SignIn
from tests.learning.scenes import learned

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def rosa(me: User) -> User:
    return scenes.reviewer("rosa", "Rosa", "Stein")


@pytest.fixture
def prompt(me: User, rosa: User) -> Prompt:
    learned([me, rosa])
    User.objects.filter(pk__in=[me.pk, rosa.pk]).update(is_staff=True, is_superuser=True)
    return Prompt.objects.get(flow="item", stage="extraction")


@pytest.fixture
def refused(page: Page, prompt: Prompt, live_server: LiveServer, me: User, sign_in: SignIn) -> Page:
    """The editor, where the console may tell of a refusal: of a page's own status it does so at level error."""
    sign_in(User.objects.get(pk=me.pk))
    page.goto(f"{live_server.url}/admin/generation/prompt/{prompt.pk}/change/?subcategory=cordless-drills")
    return page


@pytest.fixture
def editor(app: Page, refused: Page) -> Page:
    """The editor, where the console must stay clean."""
    return refused


def write(page: Page, text: str) -> None:
    area = page.get_by_label("User prompt")
    area.press("Control+End")
    area.press_sequentially(text)


def test_change_refuse_preview_approve_and_go_back(
    editor: Page, prompt: Prompt, rosa: User, me: User, sign_in: SignIn, settings: Any, live_server: LiveServer
) -> None:
    settings.FOLDBACK_PROMPT_APPROVAL = True
    editor.reload()
    checks, pane = editor.locator("#checks"), editor.locator("#pane")
    expect(checks).to_contain_text("all placeholders are known")
    expect(pane.locator(".injected--attention").filter(has_text="Wrong dimensions")).to_be_visible()

    # misspelt: named with its place while typing, marked, and mended at a click
    write(editor, "\nUnits as usual for <<SUBCATEGRY>>.")
    expect(checks).to_contain_text(re.compile(r"unknown\s*<<SUBCATEGRY>>\s*User prompt, line \d+, column 20"))
    expect(editor.locator(".hole--bad")).to_have_text("<<SUBCATEGRY>>")
    expect(pane).to_contain_text("It cannot be filled: unknown placeholder <<SUBCATEGRY>>")
    editor.get_by_role("button", name="User prompt, line").click()
    selected = "(area) => area.value.slice(area.selectionStart, area.selectionEnd)"
    assert editor.get_by_label("User prompt").evaluate(selected) == "<<SUBCATEGRY>>"
    editor.get_by_role("button", name="Did you mean <<SUBCATEGORY>>?").click()
    expect(checks).to_contain_text("all placeholders are known")
    expect(pane).to_contain_text("Units as usual for")
    expect(editor.locator("#against .added")).to_contain_text("Units as usual for <<SUBCATEGORY>>.")

    # proposed: who wrote it cannot make it live
    editor.get_by_label("What changes, and why").fill("units per subcategory")
    editor.get_by_role("button", name="Propose version 3").click()
    expect(editor.get_by_text("You wrote this version: another admin makes it live.")).to_be_visible()
    assert prompts.live("item", "extraction").number == 2

    # previewed with a trigger on
    editor.get_by_role("navigation", name="Prompt").get_by_role("link", name="Preview").click()
    editor.get_by_label("Version", exact=True).select_option("3")
    editor.get_by_label("Subcategory").select_option("coffee-scales")
    expect(editor.locator("#preview .injected--attention")).to_have_count(0)
    expect(editor.locator("#strip-bad_format_trigger .cell.is-raised")).to_have_count(1)
    editor.get_by_label("Bad format").focus()
    editor.get_by_label("Bad format").select_option("on")
    injected = editor.locator("#preview .injected--attention")
    expect(injected).to_contain_text("Bad format set by hand")
    expect(editor.get_by_label("Bad format")).to_be_focused()
    assert "bad_format_trigger=on" in editor.url
    expect(editor.get_by_role("heading", name="Against live version 2, resolved alike")).to_be_visible()
    expect(editor.locator("#preview .diff .added")).to_contain_text("Units as usual for")
    injected.locator("summary").click()
    expect(injected.locator("li a").first).to_have_attribute("href", re.compile("^/runs/"))

    # approved by a second person
    sign_in(User.objects.get(pk=rosa.pk))
    editor.goto(f"{live_server.url}/admin/generation/prompt/{prompt.pk}/versions/3/")
    editor.get_by_label("Why").fill("reads well")
    editor.get_by_role("button", name="Approve version 3 and make it live").click()
    expect(editor.get_by_text("Version 3 is live: the next call is sent with it.")).to_be_visible()
    assert prompts.live("item", "extraction").number == 3

    # compared, and rolled back by one alone, after seeing what that changes
    sign_in(User.objects.get(pk=me.pk))
    editor.get_by_label("from version 1").check()
    editor.get_by_label("to version 3").check()
    editor.get_by_role("button", name="Compare the two").click()
    expect(editor.get_by_role("heading", name="From version 1 to version 3")).to_be_visible()
    expect(editor.locator("#compared .added")).to_have_count(2)
    editor.get_by_role("link", name="2", exact=True).click()
    expect(editor.locator(".diff .removed")).to_contain_text("Units as usual for")
    editor.get_by_label("Why").fill("drills got worse")
    editor.get_by_role("button", name="Go back to version 2").click()
    expect(editor.locator(".moves li").first).to_contain_text("3 back to 2")
    expect(editor.locator(".moves li").first).to_contain_text("drills got worse")
    assert prompts.live("item", "extraction").number == 2


def test_two_save_at_once_and_nothing_is_lost(
    refused: Page, prompt: Prompt, rosa: User, live_server: LiveServer
) -> None:
    editor, live = refused, prompts.live("item", "extraction")
    write(editor, "\nMine.")
    prompts.save_version(prompt, system=live.system, user=f"{live.user}\nHers.", author=rosa, note="hers first")
    editor.get_by_role("button", name="Save as version 3").click()
    told = editor.get_by_role("alert")
    expect(told).to_contain_text("Not saved: somebody saved a version while you were writing")
    expect(told).to_contain_text("Rosa Stein")
    expect(told.locator(".added")).to_contain_text("Hers.")
    expect(editor.get_by_label("User prompt")).to_have_value(re.compile(r"Mine\.$"))
    write(editor, "\nHers.")
    editor.get_by_role("button", name="Save as version 4").click()
    expect(editor.get_by_text("Version 4 is saved. It is not live yet.")).to_be_visible()
    texts = dict(prompt.versions.values_list("number", "user"))
    assert texts[3].endswith("Hers.") and texts[4].endswith("Mine.\nHers.")


def test_the_text_in_the_editor_opens_as_a_preview_of_its_own(editor: Page) -> None:
    write(editor, "\nNowhere stored.")
    with editor.context.expect_page() as opened:
        editor.get_by_role("button", name="Set triggers by hand").click()
    page = opened.value
    expect(page.get_by_text("the text from the editor, stored nowhere")).to_be_visible()
    page.get_by_label("Bad format").select_option("on")
    expect(page.locator("#preview .injected--attention").filter(has_text="set by hand")).to_be_visible()
    expect(page.locator("#preview .diff .added")).to_contain_text("Nowhere stored.")
    assert Prompt.objects.get(flow="item", stage="extraction").versions.count() == 2
    expect(editor.get_by_label("User prompt")).to_have_value(re.compile(r"Nowhere stored\.$"))
