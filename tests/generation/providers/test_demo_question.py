"""The demo's questions: plausible ones from any source, slips seen and mended, guidance followed."""

import json
from typing import Any

import pytest

from generation import pipeline, runs
from generation.flows.question.record import Question
from generation.flows.question.source import render
from generation.flows.question.structure import problems
from generation.intake import parse
from generation.models import Run
from generation.providers.demo.question import SAID
from generation.providers.demo.question.case import case, clean_question
from generation.providers.demo.question.mistakes import COMPONENT, MAKE, SEEN, Slip, question, slips_in
from learning.demo.question import body_of, exercises
from tests.factories import SubcategoryFactory

SOURCES = [render(one.source) for one in exercises()]
STRUCTURAL = {Slip.SHORT, Slip.DOUBLED, Slip.WRONG_KEY}
BARE = [
    {"topic": "Sepsis", "objective": "Recognise it"},
    {"topic": "Ärztliche Aufklärung: 2 × täglich?", "objective": "Sie führen können", "blooms_level": "apply"},
    {"topic": "x", "objective": "y", "material": "a: b\nc: d; e\n;;;:\n" + "z" * 5000},
    {"topic": "A: b; c", "objective": "d: e; f", "material": "Name: one; two\n" * 6},
]


def test_every_slip_has_its_parts() -> None:
    assert set(MAKE) == set(SEEN) == set(COMPONENT) == set(Slip)
    assert set(SAID) == set(Slip) - STRUCTURAL  # the rules see those


@pytest.mark.parametrize("source", [*SOURCES, *map(render, BARE)])
def test_a_clean_question_is_sound(source: str) -> None:
    given = case(source)
    record = clean_question(given)
    assert problems(record) == [] and slips_in(given, record) == set()
    assert Question.model_validate(record).model_dump() == record


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("slip", Slip)
def test_every_slip_is_recognised(source: str, slip: Slip) -> None:
    given = case(source)
    record = question(given, frozenset({slip}))
    assert slip in slips_in(given, record)
    assert any(one.severity == "error" for one in problems(record)) == (slip in STRUCTURAL)
    if slip != Slip.SHORT:
        assert slips_in(given, record) == {slip}


def made(body: dict[str, Any]) -> Run:
    run = runs.create(parse(body))
    pipeline.generate(run.id)
    run.refresh_from_db()
    return run


@pytest.fixture
def _demo(settings: Any, db: None) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    settings.PROMPT_RESOLVER = ""
    for slug in {one.subcategory for one in exercises()}:
        SubcategoryFactory(slug=slug, name=slug.replace("-", " ").capitalize())


@pytest.mark.usefixtures("_demo")
def test_the_shipped_exercises_pass_are_corrected_or_reach_a_person() -> None:
    """Some of each, so that a first start shows what the loop does."""
    finished = [made(dict(body_of(one))) for one in exercises()]
    assert {run.judge_outcome for run in finished} >= {"passed", "corrected"}
    assert all(run.is_up_for_review and run.revision >= 1 for run in finished)
    targets = {target for run in finished for target in run.judgements.values_list("correction_target", flat=True)}
    assert targets - {""} <= {"vignette", "stem", "distractors", "explanation"} and targets - {""}


@pytest.mark.usefixtures("_demo")
@pytest.mark.parametrize("source", BARE)
def test_the_demo_makes_a_question_of_any_source(source: dict[str, str]) -> None:
    run = made({"flow": "question", "source": source})
    assert run.is_up_for_review, run.error
    assert json.dumps(run.drafts.latest("revision").content)
