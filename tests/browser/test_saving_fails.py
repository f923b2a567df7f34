"""A half-filled form that cannot be saved is told, kept and tried again; so is a submission that meets nobody."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Dialog, Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from review.models import ReviewEvent, ReviewForm
from tests import scenes
from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@contextmanager
def read_only(page: Page) -> Iterator[None]:
    """The database refuses to write forms, as a standby would."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'a read-only transaction' USING ERRCODE = '25006'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON review_reviewform EXECUTE FUNCTION refuse()
            """
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse CASCADE")


@contextmanager
def offline(page: Page) -> Iterator[None]:
    page.context.set_offline(True)
    try:
        yield
    finally:
        page.context.set_offline(False)


FAULTS = {
    "read only": (read_only, "the server takes nothing at the moment"),
    "offline": (offline, "no connection"),
}


@pytest.fixture
def opened(page: Page, live_server: LiveServer, me: User, sign_in: SignIn) -> Page:
    """The review page, its console unread: the browser itself reports what failed."""
    run = scenes.drill(scenes.subcategories()["drills"])
    page.set_default_timeout(10_000)
    sign_in(me)
    page.goto(f"{live_server.url}/runs/{run.pk}/")
    page.wait_for_load_state()
    return page


@pytest.mark.parametrize("fault", FAULTS)
def test_it_is_told_at_the_form_kept_and_saved_later(opened: Page, fault: str) -> None:
    broken, words = FAULTS[fault]
    saved = opened.locator("#saved")
    with broken(opened):
        opened.locator("#notes").fill("half a thought")
        expect(saved).to_contain_text(f"Not saved: {words}")
        expect(opened.get_by_role("status").filter(has_text="What you typed stays here")).to_be_visible()
        expect(opened.locator("#notes")).to_have_value("half a thought")
        assert not ReviewForm.objects.exists()
    expect(saved).to_contain_text("half-filled, saved")  # by itself
    assert ReviewForm.objects.get().notes == "half a thought"


def test_a_page_with_unsaved_words_is_not_left_unasked(opened: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    opened.on("dialog", stay)
    with offline(opened):
        opened.locator("#notes").press_sequentially("half a thought")
        expect(opened.locator("#saved")).to_contain_text("Not saved")
        opened.close(run_before_unload=True)
        opened.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    expect(opened.locator("#notes")).to_have_value("half a thought")


def test_a_submission_that_meets_nobody_stays_on_its_page(opened: Page) -> None:
    with offline(opened):
        opened.locator("#notes").fill("a long thought")
        opened.locator(".choice .approve").click()
        opened.keyboard.press("Control+Enter")
        expect(opened.locator("#saved")).to_contain_text("Not saved: no connection")
        expect(opened.locator("#notes")).to_have_value("a long thought")
        assert not ReviewEvent.objects.exists()
    expect(opened.locator("#saved")).to_contain_text("half-filled, saved")
    opened.keyboard.press("Control+Enter")
    opened.wait_for_url("**/queue/**")
    assert ReviewEvent.objects.get().notes == "a long thought"
    assert Run.objects.get().status == "approved"
