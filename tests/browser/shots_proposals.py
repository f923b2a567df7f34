"""Pictures of proposals: `python -m pytest tests/browser/shots_proposals.py --shots FOLDER`, in light and dark."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from learning.models import Proposal
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.proposals import lives

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str) -> None:
    base = "/admin/studio/proposals/"
    sign_in(me)
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    page.goto(live_server.url + base)
    take(page, folder, f"proposals-empty-light-{size}")
    lives.proposals([me, scenes.reviewer("rosa", "Rosa", "Stein")])
    addresses = {"admin-waiting": "/admin/", "proposals": base}
    addresses |= {f"proposal-{one.state}-{one.cause}": f"{base}{one.pk}/" for one in Proposal.objects.all()}
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=size == "390")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
