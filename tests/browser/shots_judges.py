"""Pictures of the pages of judges: `python -m pytest tests/browser/shots_judges.py --shots FOLDER`."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.judging.scene import judged

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str) -> None:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    page.goto(f"{live_server.url}/learning/judges/")
    take(page, folder, f"judges-empty-light-{size}")
    judged([me, scenes.reviewer("rosa", "Rosa", "Stein")])
    addresses = {
        "judges": "/learning/judges/?flow=editorial",
        "judges-rubric": "/learning/judges/?flow=question&institution=north&cost=2",
        "judges-missed": "/learning/judges/runs/?flow=question&criterion=total&of=passes",
    }
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
