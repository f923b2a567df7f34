"""Pictures of a blind review and of an adjudication: `pytest tests/browser/shots_several.py --shots FOLDER`."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.review import panels

__all__ = ["folder"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, sign_in: SignIn, size: str) -> None:
    panels.policy(blind_to_judge=True)
    places = scenes.subcategories()
    blind, disagreed = scenes.drill(places["drills"]), scenes.drill(places["drills"], title="Nordhaus AB 12 Li")
    mia, tom = scenes.reviewer("mia", "Mia", "Koch"), scenes.reviewer("tom", "Tom", "Brandt")
    panels.say(disagreed, mia, notes="All as in the source.", bad_format=False)
    panels.say(
        disagreed, tom, "revise", wrong_physical_dimensions=True, missing_spec=["Charging time"],
        values={"/dimensions/length/value": 194}, notes="Line 8 says 194 mm; the record says ten times that.",
    )  # fmt: skip
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, run, user in (("blind", blind, mia), ("adjudicate", disagreed, None), ("voted", disagreed, mia)):
            sign_in(user or _ada())
            page.goto(f"{live_server.url}/runs/{run.pk}/")
            page.wait_for_timeout(150)
            page.keyboard.press("a")
            take(page, folder, f"{name}-{theme}-{size}")
            if size == "390":
                page.locator("#step-form").check(force=True)
                take(page, folder, f"{name}-form-{theme}-{size}")
        page.goto(f"{live_server.url}/queue/")
        take(page, folder, f"several-queue-{theme}-{size}")


def _ada() -> User:
    return User.objects.filter(username="ada").first() or panels.adjudicator()
