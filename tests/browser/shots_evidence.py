"""Pictures of the evidence: `python -m pytest tests/browser/shots_evidence.py --shots FOLDER`."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.uplift.scene import compared

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(
    page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str, settings: Any
) -> None:
    settings.FOLDBACK_HOLDOUT = 0.1
    here = compared(me)
    sign_in(me)
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    addresses = {
        "evidence": "/learning/evidence/",
        "evidence-flow": "/learning/evidence/?flow=item",
        "evidence-of-one": f"/learning/{here.slug}/?flow=item",
        "life": f"/learning/{here.slug}/life/?flow=item",
    }
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            if name == "evidence-flow":
                page.locator("details.table-behind summary").first.click()
            take(page, folder, f"{name}-{size}-{theme}", full_page=name == "evidence-of-one")
