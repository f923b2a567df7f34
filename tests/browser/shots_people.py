"""Pictures of people against people, and of what records cost.

`python -m pytest tests/browser/shots_people.py --shots FOLDER`; light and dark, 1280 × 800 and 390 × 844.
"""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from learning import facts
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.agreement.scenes import reviewed_together
from tests.learning.costs.scenes import spent

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str) -> None:
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for name in ("people", "cost"):
        page.goto(f"{live_server.url}/learning/{name}/")
        take(page, folder, f"{name}-empty-light-{size}", full_page=True)
    people = [me, scenes.reviewer("rosa", "Rosa", "Stein"), scenes.reviewer("jt", "Jonas", "Thal")]
    reviewed_together(people)
    spent(people)
    facts.fold()
    addresses = {
        "people": "/learning/people/?what=wrong_information",
        "people-pairs": "/learning/people/?pairs=",
        "cost": "/learning/cost/",
        "cost-time": "/learning/cost/?by=time",
    }
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
