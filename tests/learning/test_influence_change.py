"""What reviews of changes say to the next prompts of that flow, and to no other."""

from collections.abc import Mapping
from typing import Any

import pytest

from generation.guidance import GuidanceRequest
from generation.models import Run, Subcategory
from learning.influence import INFLUENCE
from learning.resolver import resolve
from review.recording import Fields, submit
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.change.conftest import new_change, reviewer, shop
from tests.generation.change.programs import Program, program
from tests.generation.conftest import generated, scripted
from tests.generation.scripted import Scripted
from tests.learning.histories import history

__all__ = ["program", "reviewer", "scripted", "shop"]
pytestmark = pytest.mark.django_db

STAGES = ("change", "reviewer", "fixer")
# signal → stage → words of the one line that it puts there; the other stages stay empty.
SAYS: list[tuple[Mapping[str, Any], Mapping[str, str]]] = [
    ({"information_present": True}, {"change": "Work from what it says"}),
    ({"information_present": False}, {"change": "Read further"}),
    ({"missing_spec": ["tests"]}, {"change": "Do these first", "reviewer": "absence is drift"}),
    ({"bad_format": True}, dict.fromkeys(STAGES, "conventions")),
    ({"wrong_information": True}, dict.fromkeys(STAGES, "Verify")),
    ({"wrong_physical_dimensions": True}, dict.fromkeys(("change", "reviewer"), "scope")),
]


def texts(subcategory: Subcategory, review: Mapping[str, Any] | None = None) -> dict[str, str]:
    return {
        stage: resolve(GuidanceRequest("change", stage, subcategory.pk, review=review)).text(
            f"{stage.upper()}_REVIEW"
        )
        for stage in STAGES
    }


def holds(found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    assert {stage for stage, text in found.items() if text} == set(expected)
    assert all(words in found[stage] for stage, words in expected.items())


@pytest.mark.parametrize(("review", "expected"), SAYS)
def test_own_review(review: Mapping[str, Any], expected: Mapping[str, str]) -> None:
    holds(texts(SubcategoryFactory(), review), expected)


@pytest.mark.parametrize(("review", "expected"), SAYS[1:])
def test_window(review: Mapping[str, Any], expected: Mapping[str, str]) -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[review]] * 4 + [[{}]] * 6, flow="change")
    holds(texts(subcategory), expected)


def test_a_window_of_items_says_nothing_to_changes() -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[review] for review, _ in SAYS] * 4, flow="item")
    holds(texts(subcategory), {})


TELLING = {
    "information_present": "work from what it says",
    "information_present_low": "read further",
    "missing_spec": "parts quoted here",
    "bad_format": "conventions",
    "wrong_information": "verify",
    "wrong_physical_dimensions": "scope",
}


def test_each_line_has_the_telling_words_of_its_signal_and_of_no_other() -> None:
    for line in INFLUENCE["change"]:
        said = {signal for signal, words in TELLING.items() if words in line.text.lower()}
        assert said == ({line.name or line.signal} & set(TELLING)), line.key


@pytest.mark.parametrize(("review", "expected"), SAYS)
def test_a_signal_on_a_run_moves_its_next_stored_prompt(
    shop: object, program: Program, reviewer: Scripted, review: Mapping[str, Any], expected: Mapping[str, str],
    settings: Any,
) -> None:  # fmt: skip
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"
    run = generated(new_change(subcategory=SubcategoryFactory().slug))
    submit(run.id, Fields(decision="revise", notes="Look at the limits.", **review), reviewer=UserFactory())
    run.refresh_from_db()
    assert (run.round, run.status) == (2, "queued")
    generated(run)
    sent = run.calls.filter(round=2).values_list("stage", "user")
    prompts = {stage: "".join(user for name, user in sent if name == stage) for stage in STAGES}
    for stage, words in expected.items():
        assert words in prompts[stage] or stage == "fixer"
    assert "Look at the limits." in prompts["change"] and "Look at the limits." in prompts["reviewer"]
    assert run.calls.filter(round=2, injections__reason=next(iter(review))).exists()


def test_the_next_run_hears_the_window(shop: object, program: Program, reviewer: Scripted, settings: Any) -> None:
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"wrong_physical_dimensions": True}]] * 3, flow="change")
    run: Run = generated(new_change(subcategory=subcategory.slug))
    assert "found the scope wrong" in run.calls.get(stage="change").user
    assert run.trigger_state is not None


@pytest.mark.parametrize(("holdout", "guided_by"), [(0.0, ["wrong_physical_dimensions_trigger"]), (1.0, [])])
def test_a_run_keeps_what_its_first_round_was_guided_by(
    shop: object, program: Program, reviewer: Scripted, settings: Any, holdout: float, guided_by: list[str]
) -> None:
    settings.PROMPT_RESOLVER, settings.FOLDBACK_HOLDOUT = "learning.resolver.resolve", holdout
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"wrong_physical_dimensions": True}]] * 3, flow="change")
    run: Run = generated(new_change(subcategory=subcategory.slug))
    assert run.guided_by == guided_by
    assert run.trigger_state and run.trigger_state["triggers"]["wrong_physical_dimensions_trigger"]["fired"]
    history(subcategory, [[{"wrong_information": True}]] * 10, flow="change")
    submit(run.id, Fields(decision="revise"), reviewer=UserFactory())
    run.refresh_from_db()
    generated(run)
    run.refresh_from_db()
    assert run.trigger_state["triggers"]["wrong_information_trigger"]["fired"]
    assert run.guided_by == guided_by
