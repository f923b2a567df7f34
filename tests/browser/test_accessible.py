"""Axe on every page, light and dark: what it calls a violation of WCAG 2.2 AA, or of good practice, is one."""

import json
from collections.abc import Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation.flows import FLOWS, flow
from generation.models import Batch, Institution, Prompt, Run, Status, Subcategory
from learning import backtests, facts, guidance
from learning.models import Guidance, Proposal
from learning.thresholds import Place
from review import setting_aside
from review.models import ReviewEvent
from tests import scenes
from tests.browser.trial_scene import trials
from tests.factories import DraftFactory, RunFactory
from tests.learning.agreement.scenes import reviewed_together
from tests.learning.costs.scenes import spent
from tests.learning.judging.scene import judged
from tests.learning.proposals import lives
from tests.learning.scenes import learned
from tests.learning.uplift.scene import compared
from tests.review import panels

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FOUND = """async (only) => {
  const shown = (node) => `${node.target.join(' ')} ${node.html.slice(0, 90)}`;
  const found = await axe.run(document, {resultTypes: ['violations'], ...only});
  return found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 5).map(shown).join(' | ')}`);
}"""
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
SCHEMES: dict[Literal["light", "dark"], dict[str, Any]] = {"light": {}, "dark": COLOURS}


def at_work(me: User, other: User) -> list[str]:
    runs = scenes.queue(me, other)
    of: dict[str, Run] = {run.status: run for run in runs.values()}
    scenes.trail(of[Status.APPROVED])
    made = [_example(name) for name in sorted(FLOWS)]
    shown = (runs["drill"], of[Status.GENERATING], of[Status.APPROVED], *made)
    return [
        "/queue/", "/queue/?view=failed", "/queue/?view=reviewed", "/queue/?view=progress", "/queue/?q=nothing",
        *(f"/runs/{run.pk}/" for run in shown),
        f"/runs/{runs['drill'].pk}/changes/", f"/runs/{runs['drill'].pk}/record.json/",
        f"/batches/{Batch.objects.earliest('pk').pk}/",
        f"/admin/generation/run/{runs['drill'].pk}/change/",
        "/api/v1/docs", "/nothing-here/",
    ]  # fmt: skip


def at_learning(me: User, other: User) -> list[str]:
    slug = learned([me, other])[0].slug
    house = Institution.objects.create(slug="house", name="House")
    models = ("run", "prompt", "subcategory", "category", "institution", "batch", "call", "apikey", "repository")
    return [
        "/", "/learning/", f"/learning/{slug}/", f"/runs/{Run.objects.filter(status='approved')[0].pk}/",
        "/admin/", *(f"/admin/generation/{model}/" for model in models), "/admin/generation/apikey/add/",
        f"/admin/generation/prompt/{Prompt.objects.get(stage='extraction').pk}/change/",
        *studio(),
        f"/admin/generation/institution/{house.pk}/change/", "/admin/generation/institution/add/",
        "/admin/review/reviewevent/", f"/admin/review/reviewevent/{ReviewEvent.objects.earliest('pk').pk}/change/",
        "/admin/learning/guidance/", f"/admin/learning/guidance/{Guidance.objects.earliest('pk').pk}/change/",
        *_studio(me),
        "/admin/auth/user/", f"/admin/auth/user/{me.pk}/change/", f"/admin/auth/user/{me.pk}/delete/",
    ]  # fmt: skip


def evidence(me: User, other: User) -> list[str]:
    people, cost = "/learning/people/", "/learning/cost/"
    reviewed_together([me, other, scenes.reviewer("tom", "Tom", "Brandt")])
    spent([me, other])
    facts.fold()
    return [people, f"{people}?pairs=&what=wrong_information", f"{people}?what=accepted", cost, f"{cost}?by=time"]


def several(me: User, other: User) -> list[str]:
    """Blind, waiting for another, taken out of the queue, and what an adjudicator finds."""
    policy = panels.policy(blind_to_judge=True, four_eyes=True)
    drills = scenes.subcategories()["drills"]
    blind, half, differing, aside = (scenes.drill(drills, title=f"Drill {number}") for number in range(4))
    tom = scenes.reviewer("tom", "Tom", "Brandt")
    for run in (half, differing, aside):
        panels.say(run, other, notes="As the source has it.")
    panels.say(differing, tom, "reject", bad_format=True, missing_spec=["Noise"], values={"/name": "Saw"})
    setting_aside.set_aside(aside.pk, me, "later")
    return [
        "/queue/", "/queue/?view=aside", *(f"/runs/{run.pk}/" for run in (blind, half, differing, aside)),
        "/admin/review/reviewpolicy/", "/admin/review/reviewpolicy/add/",
        f"/admin/review/reviewpolicy/{policy.pk}/change/",
    ]  # fmt: skip


def studio() -> list[str]:
    prompt = Prompt.objects.get(flow="item", stage="extraction").pk
    of = f"/admin/generation/prompt/{prompt}/versions/"
    preview = f"/admin/studio/prompts/{prompt}/preview/?subcategory=cordless-drills"
    return [of, f"{of}?a=1&b=2", f"{of}1/", preview, f"{preview}&version=1&bad_format_trigger=on"]


def _studio(me: User) -> list[str]:
    drills = Subcategory.objects.get(slug="cordless-drills")
    tried = backtests.start(Place("item", drills), {"wrong_information_trigger": 1}, me)
    text = Guidance.objects.get(flow="item", key="missing_spec.extraction")
    guidance.save_version(text, "Look for these first:\n{names}", author=me, note="shorter")
    return [
        "/admin/studio/thresholds/", f"/admin/studio/thresholds/item/subcategory/{drills.pk}/",
        f"/admin/studio/thresholds/item/category/{drills.category.pk}/", f"/admin/studio/backtests/{tried.pk}/",
        "/admin/studio/influence/", f"/admin/studio/influence/{text.pk}/", "/admin/studio/policy/",
        f"/admin/studio/influence/{text.pk}/versions/2/",
    ]  # fmt: skip


def at_trials(me: User, other: User) -> list[str]:
    return list(trials(me).values())


def at_proposals(me: User, other: User) -> list[str]:
    found = lives.proposals([me, other])
    decided = Proposal.objects.exclude(state="open")
    pages = [f"/admin/studio/proposals/{one.pk}/" for one in (*found, *decided)]
    return ["/admin/", "/admin/studio/proposals/", *pages]


def at_judges(me: User, other: User) -> list[str]:
    empty = "/learning/judges/?flow=change"
    judged([me, other])
    runs = "/learning/judges/runs/?flow=question&criterion=total"
    return [
        empty, "/learning/judges/?flow=editorial", "/learning/judges/?flow=question&institution=north&cost=2",
        f"{runs}&of=passes", f"{runs}&of=fails", "/learning/judges/runs/?flow=change",
    ]  # fmt: skip


def at_evidence(me: User, other: User) -> list[str]:
    here = compared(other)
    return [
        "/learning/evidence/", "/learning/evidence/?flow=item", "/learning/evidence/?share=0.5",
        f"/learning/{here.slug}/", f"/learning/{here.slug}/life/",
    ]  # fmt: skip


def _example(name: str) -> Run:
    content = json.loads((flow(name).folder / "example.json").read_text())
    run: Run = RunFactory(flow=name, title=f"An {name}")
    DraftFactory(run=run, content=content)
    return run


def found(page: Page) -> list[str]:
    """In light all rules; in dark, where the same elements have other colours, those about colours."""
    violations: list[str] = []
    page.evaluate(AXE_SCRIPT)
    for scheme, only in SCHEMES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        violations += [f"{scheme}: {one}" for one in page.evaluate(FOUND, only)]
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return violations


@pytest.mark.parametrize(
    "scene", [at_work, at_learning, evidence, several, at_trials, at_proposals, at_judges, at_evidence]
)
def test_axe_finds_nothing(
    page: Page,
    live_server: LiveServer,
    sign_in: Any,
    me: User,
    scene: Callable[..., list[str]],
    settings: Any,
) -> None:
    settings.FOLDBACK_HOLDOUT = 0.1 if scene is at_evidence else 0.0
    User.objects.filter(pk=me.pk).update(is_superuser=True, is_staff=True)
    addresses = scene(me, scenes.reviewer("rosa", "Rosa", "Stein"))
    sign_in(me)
    wrong: dict[str, list[str]] = {}
    for address in addresses:
        page.goto(live_server.url + address)
        page.wait_for_load_state("networkidle") if "generating" not in address else None
        if violations := found(page):
            wrong[address] = violations
    assert not wrong, json.dumps(wrong, indent=1)


def test_nor_on_the_way_in(page: Page, live_server: LiveServer, db: None) -> None:
    page.goto(f"{live_server.url}/login/")
    assert found(page) == []
