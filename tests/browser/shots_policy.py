"""Pictures of the policy and of strips under `steady`: `pytest tests/browser/shots_policy.py --shots FOLDER`."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from learning import backtests
from learning.policies import choosing
from learning.thresholds import Place
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.scenes import learned

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str) -> None:
    drills = learned([me, scenes.reviewer("rosa", "Rosa", "Stein")])[0]
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    tried = backtests.start(Place("item", drills.category), {}, me, policy="steady")
    choosing.choose("steady", by=me, why="dimensions flickered on and off")
    addresses = {
        "policy": "/admin/studio/policy/",
        "backtest": f"/admin/studio/backtests/{tried.pk}/",
        "cards": "/learning/",
        "detail": f"/learning/{drills.slug}/",
    }
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    sign_in(User.objects.get(pk=me.pk))
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
    page.emulate_media(color_scheme="light")
    page.goto((Path(__file__).resolve().parents[2] / "docs" / "study.svg").as_uri())
    take(page, folder, f"figure-{size}")
