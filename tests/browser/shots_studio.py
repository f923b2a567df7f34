"""Pictures of the prompt studio: `python -m pytest tests/browser/shots_studio.py --shots FOLDER`."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation import prompts
from generation.models import Prompt
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.scenes import learned

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots_of_a_prompt(
    page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str
) -> None:
    learned([me, scenes.reviewer("rosa", "Rosa", "Stein"), scenes.reviewer("jt", "Jonas", "Thal")])
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    rosa = User.objects.get(username="rosa")
    sign_in(User.objects.get(pk=me.pk))
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    live = prompts.live("item", "extraction")
    third = live.user.replace("Give the unit in its own field.", "Give each unit in a field of its own.")
    prompts.save_version(prompt, system=live.system, user=third, author=rosa, note="units, in other words")
    base = f"{live_server.url}/admin/generation/prompt/{prompt.pk}"
    preview = f"{live_server.url}/admin/studio/prompts/{prompt.pk}/preview/"
    addresses = {
        "editor": f"{base}/change/?from=3&subcategory=cordless-drills",
        "versions": f"{base}/versions/?a=2&b=3",
        "version": f"{base}/versions/3/",
        "preview": f"{preview}?subcategory=cordless-drills",
        "preview-by-hand": f"{preview}?subcategory=coffee-scales&bad_format_trigger=on&version=3",
    }
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
        page.goto(f"{base}/change/?subcategory=cordless-drills")
        area = page.get_by_label("User prompt")
        area.press("Control+End")
        area.press_sequentially("\nUnits for <<SUBCATEGRY>> and << SOURCE >>.")
        page.get_by_text("malformed").wait_for()
        page.wait_for_timeout(700)
        take(page, folder, f"faults-{theme}-{size}", full_page=True)
        page.locator('[name="newest"]').evaluate("(field) => { field.value = '2' }")
        area.fill(f"{live.user}\nMine.")
        page.get_by_label("What changes, and why").press("Control+Enter")
        page.get_by_role("alert").wait_for()
        page.wait_for_load_state("networkidle")
        take(page, folder, f"overtaken-{theme}-{size}", full_page=True)
