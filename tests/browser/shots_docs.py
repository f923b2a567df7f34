"""Pictures of the page of the REST API: `python -m pytest tests/browser/shots_docs.py --shots FOLDER`."""

from pathlib import Path

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.shots import SIZES, THEMES, folder

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, size: str) -> None:
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.goto(f"{live_server.url}/api/v1/docs#webhooks")
        page.screenshot(path=folder / f"docs-webhooks-{size}-{theme}.png")
        page.locator("section.call details").first.click()
        page.locator("section.call details").first.scroll_into_view_if_needed()
        page.screenshot(path=folder / f"docs-answer-{size}-{theme}.png")
