"""What reviewers say of questions, from the submitted form to the words in the flow's next stored prompt."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import pipeline, runs
from generation.intake import parse
from generation.models import Run, Subcategory
from review.models import Decision
from review.recording import Fields, submit
from tests.factories import SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db

SIGNALS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"information_present": False}, {"question": "fuller case"}),
    ({"missing_spec": ["Vital signs"]}, {"question": "- Vital signs"}),
    ({"bad_format": True}, {"question": "Be strict", "judge": "Be strict"}),
    ({"wrong_information": True}, {"question": "Cross-check", "judge": "Cross-check"}),
    ({"wrong_physical_dimensions": True}, {"question": "reference range", "judge": "reference range"}),
]
OWN_ALONE: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"information_present": True}, {"question": "material alone"}),
    ({"notes": "The pulse is 96."}, {"question": "The pulse is 96.", "judge": "The pulse is 96."}),
]
EVERY_WORD = sorted({words for _, said in SIGNALS + OWN_ALONE for words in said.values()})


@pytest.fixture(autouse=True)
def _demo(settings: Settings) -> None:
    settings.FOLDBACK_PROVIDER = "demo"


def made(subcategory: Subcategory, topic: str = "Sepsis") -> Run:
    source = {"topic": topic, "objective": "Recognise it"}
    run = runs.create(parse({"flow": "question", "subcategory": subcategory.slug, "source": source}))
    return generated(run)


def generated(run: Run) -> Run:
    pipeline.generate(run.id)
    run.refresh_from_db()
    assert run.is_up_for_review, run.error
    return run


def said_to(run: Run, stage: str) -> set[str]:
    """The words of guidance in the stage's newest stored prompt."""
    prompt = run.calls.filter(stage=stage).latest("id")
    return {words for words in EVERY_WORD if words in prompt.user}


@pytest.mark.parametrize(("review", "expected"), SIGNALS + OWN_ALONE)
def test_a_runs_own_review_moves_its_next_prompts(review: dict[str, Any], expected: dict[str, str]) -> None:
    run = made(SubcategoryFactory())
    assert not said_to(run, "question") and not said_to(run, "judge")
    submit(run.id, Fields(decision=Decision.REVISE, **review), reviewer=UserFactory())
    generated(run)
    for stage in ("question", "judge"):
        assert said_to(run, stage) == ({expected[stage]} if stage in expected else set())


@pytest.mark.parametrize(("review", "expected"), SIGNALS)
def test_what_a_window_raises_moves_the_next_runs_prompts(
    review: dict[str, Any], expected: dict[str, str]
) -> None:
    subcategory, elsewhere = SubcategoryFactory(), SubcategoryFactory()
    submit(made(subcategory).id, Fields(decision=Decision.REJECT, **review), reviewer=UserFactory())
    run, other = made(subcategory, "Shock"), made(elsewhere, "Shock")
    for stage in ("question", "judge"):
        assert said_to(run, stage) == ({expected[stage]} if stage in expected else set())
        assert not said_to(other, stage)


def test_a_window_of_questions_says_nothing_to_items_and_takes_nothing_from_them() -> None:
    subcategory = SubcategoryFactory()
    submit(made(subcategory).id, Fields(decision=Decision.REJECT, wrong_information=True), reviewer=UserFactory())
    item = runs.create(parse({"flow": "item", "subcategory": subcategory.slug, "source": {"title": "Drill"}}))
    generated(item)
    assert not item.calls.filter(injections__isnull=False).exists()
    submit(item.id, Fields(decision=Decision.REJECT, bad_format=True), reviewer=UserFactory())
    assert said_to(made(subcategory, "Shock"), "question") == {"Cross-check"}


def test_an_approved_question_is_the_next_ones_example() -> None:
    subcategory = SubcategoryFactory()
    first = made(subcategory)
    assert "nitrofurantoin" in first.calls.get(stage="question", cycle=1).system  # the shipped example
    submit(first.id, Fields(decision=Decision.APPROVE), reviewer=UserFactory())
    shown = made(subcategory, "Shock").calls.filter(stage="question").earliest("id")
    assert "because of Sepsis" in shown.system and "nitrofurantoin" not in shown.system
