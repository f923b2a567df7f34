"""Pictures of the learning pages, the overview, sign-in and administration.

`python -m pytest tests/browser/shots_learning.py --shots FOLDER`; light and dark, 1280 × 800 and 390 × 844.
"""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation.batches import create_many
from generation.models import Batch, Prompt, Repository, Run
from learning.models import Guidance
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.learning.scenes import learned

LEARNT = {"item": "cordless-drills", "editorial": "slow-fashion", "question": "acute-chest-pain"}
LEARNT |= {"change": "shop-service"}

__all__ = ["folder"]


@pytest.mark.parametrize("size", SIZES)
def test_shots(
    page: Page,
    live_server: LiveServer,
    folder: Path,
    me: User,
    sign_in: SignIn,
    size: str,
) -> None:
    learned([me, scenes.reviewer("rosa", "Rosa", "Stein"), scenes.reviewer("jt", "Jonas", "Thal")])
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    prompt, text = Prompt.objects.get(stage="extraction"), Guidance.objects.all()[0]
    run = Run.objects.filter(status="approved")[0]
    addresses = {
        "overview": "/",
        "learning": "/learning/",
        "subcategory": "/learning/cordless-drills/",
        "subcategory-few": "/learning/coffee-grinders/",
        "admin": "/admin/",
        "admin-prompts": "/admin/generation/prompt/",
        "admin-prompt": f"/admin/generation/prompt/{prompt.pk}/change/",
        "admin-version": f"/admin/generation/prompt/{prompt.pk}/versions/1/",
        "admin-guidance": f"/admin/learning/guidance/{text.pk}/change/",
        "admin-runs": "/admin/generation/run/",
        "admin-run": f"/admin/generation/run/{run.pk}/change/",
        "admin-events": "/admin/review/reviewevent/",
        "admin-key": "/admin/generation/apikey/add/",
        "admin-user": f"/admin/auth/user/{me.pk}/change/",
    }
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.context.clear_cookies()
        page.goto(f"{live_server.url}/login/")
        page.get_by_label("Username").fill("rs")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        take(page, folder, f"login-{theme}-{size}")
        sign_in(User.objects.get(pk=me.pk))
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_shots_of_every_flow(
    page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str
) -> None:
    """With the demo content: what was learnt in each flow, and the lists and pages of administration."""
    call_command("demo")
    User.objects.filter(pk=me.pk).update(is_staff=True, is_superuser=True)
    sign_in(User.objects.get(pk=me.pk))
    bodies = [
        {"flow": "item", "subcategory": "cordless-drills", "source": {"title": f"Drill {n}"}} for n in range(3)
    ]
    create_many(bodies, name="Autumn catalogue")
    addresses = {f"learning-{flow}": f"/learning/{slug}/?flow={flow}" for flow, slug in LEARNT.items()}
    addresses |= {"learning-all": "/learning/", "overview-all": "/"}
    for flow in LEARNT:
        run = Run.objects.reviewed().filter(flow=flow)[0]
        addresses[f"admin-run-{flow}"] = f"/admin/generation/run/{run.pk}/change/"
    for model in ("run", "call", "prompt", "batch", "repository", "subcategory", "apikey"):
        addresses[f"admin-list-{model}"] = f"/admin/generation/{model}/"
    prompt = Prompt.objects.get(flow="editorial", stage="judge")
    addresses |= {
        "admin-guidance": "/admin/learning/guidance/",
        "admin-judge": f"/admin/generation/prompt/{prompt.pk}/change/",
        "admin-batch": f"/admin/generation/batch/{Batch.objects.get().pk}/change/",
        "admin-repository": f"/admin/generation/repository/{Repository.objects.get().pk}/change/",
        "admin-repository-add": "/admin/generation/repository/add/",
    }
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
