"""Pictures of trials, and of what versions achieved: `pytest tests/browser/shots_studio_trials.py --shots DIR`."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.browser.trial_scene import trials

__all__ = ["folder"]  # a fixture


@pytest.mark.parametrize("size", SIZES)
def test_shots(
    page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str, settings: Any
) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    User.objects.filter(pk=me.pk).update(is_superuser=True, is_staff=True)
    addresses = trials(me)
    sign_in(me)
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_timeout(200)
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
