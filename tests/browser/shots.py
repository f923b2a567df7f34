"""Pictures of every page of review: `python -m pytest tests/browser/shots.py --shots FOLDER`.

Not collected by a plain run, since its name is no test's. Light and dark, 1280 × 800 and 390 × 844.
"""

from pathlib import Path
from typing import Any, Literal

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation.models import Batch, Run, Status
from review import recording
from tests import scenes
from tests.browser.conftest import SignIn

SIZES = {"1280": {"width": 1280, "height": 800}, "390": {"width": 390, "height": 844}}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Path:
    given = request.config.getoption("--shots")
    if not given:
        pytest.skip("give --shots FOLDER")
    path = Path(given)
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def runs(me: User) -> dict[str, Run]:
    found = scenes.queue(me, scenes.reviewer("rosa", "Rosa", "Stein"))
    for run in found.values():
        if run.status in (Status.GENERATING, Status.APPROVED):
            scenes.trail(run)
    return found


@pytest.mark.parametrize("size", SIZES)
def test_shots(
    page: Page, live_server: LiveServer, folder: Path, runs: dict[str, Run], me: User, sign_in: SignIn, size: str
) -> None:
    sign_in(me)
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    drill, other = runs["drill"], runs["Pour-over scale, 0.1 g, waterproof"]
    done = runs["Hofmeister HB 12 cordless drill"]
    recording.submit(
        done.pk,
        recording.Fields("reject", False, ["charging time"], notes="The photo shows another machine."),
        reviewer=me,
    )
    recording.save_half_filled(drill.pk, me, HALF_FILLED)
    addresses = {
        "queue": "/queue/",
        "queue-empty": "/queue/?view=waiting&subcategory=none",
        "queue-progress": "/queue/?view=progress",
        "queue-reviewed": "/queue/?view=reviewed",
        "review": f"/runs/{drill.pk}/",
        "review-short": f"/runs/{other.pk}/",
        "held": f"/runs/{runs['LP-58 mobile label printer'].pk}/",
        "after": f"/runs/{other.pk}/?done={done.pk}",
        "progress": f"/runs/{runs['Bohrständer BS 45'].pk}/",
        "decided": f"/runs/{done.pk}/",
        "failed": f"/runs/{runs['Handwaage HW 5'].pk}/",
        "batch": f"/batches/{Batch.objects.get().pk}/",
        "missing": "/runs/00000000-0000-7000-8000-000000000000/",
    }
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            page.wait_for_timeout(150)
            take(page, folder, f"{name}-{theme}-{size}")
        page.goto(f"{live_server.url}/runs/{drill.pk}/")
        if size == "390":
            for step in ("source", "form"):
                page.locator(f"#step-{step}").check(force=True)
                take(page, folder, f"review-{step}-{theme}-{size}")
        else:
            page.keyboard.press("?")
            take(page, folder, f"keys-{theme}-{size}")


HALF_FILLED = recording.Fields(
    decision="revise",
    information_present=True,
    bad_format=False,
    wrong_information=True,
    missing_spec=["charging time", "sound pressure level"],
    notes="Impact rate belongs to the hammer version, not to this drill driver. Steel capacity is 13 mm, line 7.",
)


def take(page: Page, folder: Path, name: str, **given: Any) -> None:
    page.screenshot(path=folder / f"{name}.png", **given)
