"""The README's picture: `python -m pytest tests/browser/shots_readme.py --shots docs` writes docs/learning.png."""

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from learning import facts
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import folder, take
from tests.learning.scenes import learned
from tests.learning.uplift.scene import LAST
from tests.learning.uplift.worlds import live, write

__all__ = ["folder"]
RATES = {False: 0.4, True: 0.05}  # of records in bad form, without guidance and with it


def test_picture(
    page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, settings: Any
) -> None:
    """Made history: a thousand reviews in a world where guidance helps, and the last ones by hand."""
    settings.FOLDBACK_HOLDOUT = 0.1
    here = learned([me, scenes.reviewer("rosa", "Rosa", "Stein"), scenes.reviewer("jt", "Jonas", "Thal")])[0]
    write(here, live(Random(1), 1_000, RATES.__getitem__), me, until=timezone.now() - timedelta(days=12))
    with connection.cursor() as cursor:
        cursor.execute(LAST)
    facts.fold()
    sign_in(me)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{live_server.url}/learning/{here.slug}/")
    below = page.locator("#evidence details").bounding_box()
    assert below is not None
    clip = {"x": 0, "y": 0, "width": 1280, "height": below["y"] - 4}
    take(page, folder, "learning", full_page=True, clip=clip)
