"""The page of exports in a browser: asked for, followed while it is written, downloaded, deleted."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from django.contrib.auth.models import User
from django.db.models.functions import Now
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from review.models import Export
from review.tasks import write_exports
from tests.browser.shots import SIZES, THEMES
from tests.browser.test_accessible import FOUND
from tests.review.exports.lessons import generated, reviewed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def admin(me: User) -> User:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    me.refresh_from_db()
    return me


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.FOLDBACK_EXPORTS_DIR = tmp_path / "exports"
    return tmp_path / "exports"


def test_from_asking_to_deleting(app: Page, live_server: LiveServer, admin: User) -> None:
    reviewed(generated())
    app.goto(live_server.url + "/exports/")
    app.get_by_label("What", exact=True).select_option("training")
    app.get_by_label("As", exact=True).select_option("csv")
    app.get_by_role("button", name="Write the export").click()
    expect(app.locator(".exports")).to_contain_text("queued")
    write_exports()
    with app.expect_download() as found:
        app.get_by_role("link", name="Download").click()  # the list asks again by itself
    assert found.value.suggested_filename == "training.csv"
    app.get_by_role("button", name="Delete training.csv").click()
    expect(app.locator("#exports")).to_contain_text("Exports stand here")


def several(admin: User) -> None:
    wanted: list[dict[str, Any]] = [
        {"wanted": {"kind": "reviews", "format": "csv", "flow": "item"}, "state": "done", "rows": 12_345,
         "bytes": 9_000_000, "total": 4, "by": admin, "finished_at": Now()},
        {"wanted": {"kind": "training", "format": "parquet", "form": "preference"}, "state": "running",
         "total": 900, "looked_at": 411, "rows": 97, "bytes": 400_000, "left_out": {"unchanged": 301},
         "api_key": "nightly etl"},
        {"wanted": {"kind": "judgements", "format": "jsonl"}, "state": "failed", "error": "no_space", "by": admin,
         "finished_at": Now()},
        {"wanted": {"kind": "reviews", "format": "jsonl"}, "by": admin},
    ]  # fmt: skip
    for one in wanted:
        Export.objects.create(**one)


@pytest.mark.parametrize("size", SIZES)
def test_it_is_accessible_and_fits(
    app: Page, live_server: LiveServer, admin: User, size: str, request: pytest.FixtureRequest
) -> None:
    app.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    several(admin)
    shots = request.config.getoption("--shots")
    for theme in THEMES:
        app.emulate_media(color_scheme=theme)
        app.goto(live_server.url + "/exports/")
        if size == "1280":
            app.evaluate(AXE_SCRIPT)
            assert app.evaluate(FOUND) == []
        wide = app.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0
        if shots:
            app.screenshot(path=f"{shots}/exports-{theme}-{size}.png", full_page=True)
