"""A draft is tried on past runs: chosen, priced, started, followed while a worker makes it, read run by run."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run, Trial
from generation.trials.working import work_on
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import draft_of
from tests.learning.studio.conftest import reviewed, scripted, subcategory

__all__ = ["reviewed", "scripted", "subcategory"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def elsewhere(tried_ids: list[int]) -> None:
    """In a thread with a connection of its own, as a worker has."""

    def done() -> None:
        try:
            for tried_id in tried_ids:
                work_on(tried_id)
        finally:
            connection.close()

    thread = threading.Thread(target=done)
    thread.start()
    thread.join()


def test_a_draft_is_tried_on_past_runs(
    app: Page, live_server: LiveServer, me: User, reviewed: list[Run], scripted: Scripted
) -> None:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    version = draft_of()
    scripted.play(extraction=record(name="Right"), supervisor=["FAIL: no", "PASS"])
    app.goto(f"{live_server.url}/admin/studio/prompts/{version.prompt_id}/trial/")
    expect(app.get_by_role("button", name="Try version 2 on 4 runs")).to_be_visible()
    app.evaluate("window.stays = true")
    app.locator("tbody input").last.uncheck()
    expect(app.get_by_role("button", name="Try version 2 on 3 runs")).to_be_visible()
    app.get_by_label("Version", exact=True).select_option("1")
    expect(app.get_by_role("button", name="Try version 1 on 4 runs")).to_be_visible()
    app.get_by_label("Version", exact=True).select_option("2")
    expect(app.get_by_role("button", name="Try version 2 on 4 runs")).to_be_visible()
    assert app.evaluate("window.stays"), "htmx, and no page loaded anew"
    app.get_by_role("button", name="Try version 2 on 4 runs").click()
    expect(app.get_by_role("heading", name="Version 2 on")).to_be_visible()
    expect(app.get_by_text("0 of 4 runs are over")).to_be_visible()
    app.evaluate("window.stays = true")
    ids = list(Trial.objects.get().runs.values_list("pk", flat=True))
    elsewhere(ids[:1])
    expect(app.get_by_text("1 of 4 runs are over")).to_be_visible()
    elsewhere(ids[1:])
    expect(app.get_by_text("4 of 4 runs are over")).to_be_visible()
    expect(app.locator("#told")).to_have_text("The trial is over.")
    assert app.evaluate("window.stays")
    app.locator("#tried-2").click()
    expect(app.locator(".compare del")).to_have_text("Then")
    expect(app.locator(".compare ins")).to_have_text("Right")
    expect(app.get_by_text("Approved, corrected")).to_be_visible()
    app.get_by_role("link", name="Previous").click()
    expect(app.get_by_text("The name is of another drill.")).to_be_visible()
