"""Pictures of thresholds, backtests and guidance: `pytest tests/browser/shots_thresholds.py --shots FOLDER`."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from learning import backtests, thresholds
from learning.models import Guidance
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
    here, above = Place("item", drills), Place("item", drills.category)
    thresholds.save(
        above, {"missing_spec_trigger": 3}, by=me, why="fields differ from shop to shop", based_on=None
    )
    thresholds.save(
        here, {"bad_format_trigger": 2}, by=me, why="forms must be right the first time", based_on=None
    )
    tried = backtests.start(here, {"wrong_physical_dimensions_trigger": 4, "wrong_information_trigger": 1}, me)
    wide = backtests.start(above, {"bad_format_trigger": 1}, me)
    text = Guidance.objects.get(flow="item", key="wrong_physical_dimensions.extraction")
    addresses = {
        "thresholds": "/admin/studio/thresholds/",
        "place": f"/admin/studio/thresholds/item/subcategory/{drills.pk}/",
        "category": f"/admin/studio/thresholds/item/category/{drills.category.pk}/",
        "backtest": f"/admin/studio/backtests/{tried.pk}/",
        "backtest-category": f"/admin/studio/backtests/{wide.pk}/",
        "influence": "/admin/studio/influence/",
        "guidance": f"/admin/studio/influence/{text.pk}/",
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
