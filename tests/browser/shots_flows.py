"""Pictures of each flow while it is fixed, on its review page and after its approval.

`python -m pytest tests/browser/shots_flows.py --shots FOLDER`; light and dark, 1280 × 800 and 390 × 844.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from learning.demo.editorial import body_of
from tests.browser import product
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.browser.test_flows import AGENT, BEAD, EDITORIAL, ITEM, QUESTION, Person, agent, person
from tests.factories import SubcategoryFactory
from tests.generation.change.programs import Program
from tests.generation.change.repositories import registered, repository

__all__ = ["agent", "folder", "person"]
PACE = 6  # seconds of a stage: four pictures of it
SLOWER = {role: body.replace("time.sleep(1)", f"time.sleep({PACE})") for role, body in AGENT.items()}
BODIES: dict[str, dict[str, Any]] = {
    "item": {"flow": "item", "subcategory": "cordless-drills", "source": ITEM},
    "editorial": body_of(EDITORIAL),
    "question": {"flow": "question", "subcategory": QUESTION.subcategory, "source": QUESTION.source},
    "change": {
        "flow": "change",
        "subcategory": "shop-service",
        "source": {"bead": BEAD, "repository": "shop"},
        "options": {"review": True},
    },
}
NAMES = {
    "cordless-drills": "Cordless drills",
    "slow-fashion": "Slow fashion",
    "acute-chest-pain": "Acute chest pain",
    "shop-service": "Shop service",
}


@pytest.fixture(scope="module")
def address(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
    agent: Path,
) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log")
    with django_db_blocker.unblock(), product.running(log, pace=PACE, agent=agent) as at:
        yield at


@pytest.mark.parametrize("flow", BODIES)
def test_shots(
    person: Person, me: User, folder: Path, agent: Path, settings: Settings, tmp_path: Path, flow: str
) -> None:
    page = person.page
    Program(agent, settings).play(**SLOWER)
    registered(repository(tmp_path / "shop"))
    for slug, name in NAMES.items():
        SubcategoryFactory(slug=slug, name=name)
    run = person.creates(**BODIES[flow])
    expect(page.locator(".lane--running .badge--fix")).to_be_visible(timeout=60_000)
    each(page, lambda name: take(page, folder, f"{flow}-fixing-{name}"))
    expect(page.locator("#go-on")).to_be_visible(timeout=60_000)
    each(page, lambda name: take(page, folder, f"{flow}-over-{name}"))
    page.goto(f"{person.address}/runs/{run.pk}/")

    def review(name: str) -> None:
        take(page, folder, f"{flow}-review-{name}")
        pane(page, folder, f"{flow}-record-{name}")
        if flow == "question":
            page.locator(".exam-key > summary").click()
            page.locator(".exam-key").scroll_into_view_if_needed()
            take(page, folder, f"{flow}-key-{name}")
            page.locator(".exam-key > summary").click()
        if name.endswith("390"):
            for step in ("source", "form", "record"):
                page.locator(f"#step-{step}").check(force=True)
                if step != "record":
                    take(page, folder, f"{flow}-review-{step}-{name}")

    each(page, review)
    page.keyboard.press("1")
    person.approves(run)
    each(page, lambda name: take(page, folder, f"{flow}-approved-{name}", full_page=True))


def each(page: Page, picture: Callable[[str], None]) -> None:
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            picture(f"{theme}-{size}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"


def pane(page: Page, folder: Path, name: str) -> None:
    """The whole record, however far it scrolls."""
    size = page.viewport_size
    page.set_viewport_size({"width": size["width"] if size else 1280, "height": 2400})
    take(page, folder, name)
    if size:
        page.set_viewport_size(size)
