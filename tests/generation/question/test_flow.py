"""Runs of the question flow: passes, fixes of one component, and every way out."""

import json
from decimal import Decimal
from typing import Any

import pytest

from generation.models import Institution
from tests.generation.question.making import FAIL, contents, ended, made
from tests.generation.question.records import (
    DIMENSIONS,
    GOOD,
    NEW,
    POOR,
    QUESTION,
    WEAKEST,
    options,
    question,
    scores,
)

pytestmark = pytest.mark.django_db


def test_a_question_that_passes(play: Any) -> None:
    play()
    run = made()
    assert ended(run) == ("awaiting_review", "passed", None)
    assert run.title == "Acute chest pain" and contents(run) == [QUESTION]
    judgement = run.judgements.get()
    assert (judgement.kind, judgement.outcome, judgement.correction_target) == ("rubric", "passed", "")
    assert judgement.call == run.calls.get(stage="judge") and judgement.prompt_version is not None
    result = judgement.result
    assert (result["composite_score"], result["threshold"], result["passes_threshold"]) == (0.83, 0.7, True)
    assert result["validation"] == {"is_valid": True, "errors": []}
    assert {one["name"]: one["weight"] for one in result["dimensions"]} == dict(
        zip(DIMENSIONS, (0.3, 0.2, 0.2, 0.2, 0.1), strict=True)
    )


@pytest.mark.parametrize(
    ("judge", "ending", "drafts"),
    [
        ([scores()], ("awaiting_review", "passed", None), 1),
        ([FAIL, scores()], ("awaiting_review", "corrected", None), 2),
        ([FAIL, FAIL, scores()], ("awaiting_review", "corrected", None), 3),
        ([FAIL, FAIL, FAIL], ("needs_human_review", "needs_human_review", "fixes_exhausted"), 3),
        ([FAIL, FAIL, FAIL, scores()], ("needs_human_review", "needs_human_review", "fixes_exhausted"), 3),
    ],
)
def test_two_fixes_are_three_scored_cycles(play: Any, judge: list[str], ending: Any, drafts: int) -> None:
    play(judge=judge)
    run = made()
    assert (ended(run), run.drafts.count(), run.judgements.count()) == (ending, drafts, drafts)
    if ending[0] == "needs_human_review":
        assert list(run.judgements.values_list("correction_applied", "correction_target")) == [
            (True, "vignette"),
            (True, "vignette"),
            (False, ""),
        ]
        assert run.judgements.get(cycle=3).result["target"] == "vignette"


@pytest.mark.parametrize(("fixes", "cycles"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_the_request_says_how_many_fixes(play: Any, fixes: int, cycles: int) -> None:
    play(judge=FAIL)
    run = made(options={"review_max_fix_attempts": fixes})
    assert ended(run) == ("needs_human_review", "needs_human_review", "fixes_exhausted")
    assert (run.judgements.count(), run.drafts.count()) == (cycles, cycles)


# --- one component alone ------------------------------------------------------------------------------


@pytest.mark.parametrize("component", WEAKEST)
def test_only_the_weakest_component_is_made_anew(play: Any, component: str) -> None:
    everything_else_too = question(**NEW, key="B")
    scripted = play([question(), everything_else_too], [scores(WEAKEST[component]), scores()])
    run = made()
    assert ended(run) == ("awaiting_review", "corrected", None)
    first, second = contents(run)
    field = {"distractors": "options"}.get(component, component)
    assert {name: json.dumps(value) for name, value in second.items() if name != field} == {
        name: json.dumps(value) for name, value in first.items() if name != field
    }
    assert second[field] != first[field]
    assert run.judgements.get(cycle=1).correction_target == component
    assert f"<feedback>\nMake anew: {component}\nCorrection attempt: 1\n" in scripted.of("question")[1].user


def test_new_distractors_leave_the_correct_option_and_may_move_the_key(play: Any) -> None:
    moved = [NEW["options"][0], NEW["options"][2], NEW["options"][1], NEW["options"][3]]
    play(
        [question(), question(options=moved, key="C", explanation="Now C.", stem="Ignored?")],
        [scores(WEAKEST["distractors"]), scores()],
    )
    first, second = contents(made())
    assert second["options"] == [moved[0], moved[1], QUESTION["options"][1], moved[3]]
    assert (second["key"], second["explanation"]) == ("C", "Now C.")
    assert (second["stem"], second["vignette"]) == (first["stem"], first["vignette"])


def test_the_correction_names_every_weak_dimension_and_the_attempt(play: Any) -> None:
    scripted = play(judge=[FAIL, scores(WEAKEST["stem"]), scores()])
    made()
    _, second, third = [request.user for request in scripted.of("question")]
    for name in DIMENSIONS:
        said = f"{name.replace('_', ' ')} {dict(zip(DIMENSIONS, POOR, strict=True))[name]}: about {name}"
        assert (said in second) == (name != "slo_coverage")  # which has exactly 0.7
    assert "Make anew: stem\nCorrection attempt: 2\n" in third
    assert "clinical accuracy 0.4" not in third and "pedagogical alignment 0.1" in third
    assert second.index("<feedback>") < second.index("<draft>") < second.index("Write the question.")


STRUCTURAL: list[tuple[dict[str, Any], str]] = [
    ({"vignette": "Short."}, "vignette"),
    ({"stem": "Diagnosis"}, "stem"),
    ({"options": options("a", "b", "c"), "key": "A"}, "distractors"),
    ({"key": None}, "distractors"),
    ({"key": "D"}, "distractors"),
    ({"options": options("a", "b", "c", "a"), "key": "A"}, "distractors"),
    ({"explanation": ""}, "explanation"),
]


@pytest.mark.parametrize(("broken", "component"), STRUCTURAL)
def test_a_structural_error_is_mended_on_the_best_score(play: Any, broken: dict[str, Any], component: str) -> None:
    play([question(**broken), question()], scores((1, 1, 1, 1, 1)))
    run = made()
    assert ended(run) == ("awaiting_review", "corrected", None)
    assert run.judgements.get(cycle=1).correction_target == component
    assert run.drafts.get(revision=1).findings[0]["severity"] == "error"
    assert run.drafts.get(revision=2).findings == []


@pytest.mark.parametrize(
    "broken",
    [
        {"vignette": "Short."},
        {"stem": "Diagnosis"},
        {"options": options("a", "b", "c"), "key": "A"},
        {"options": options("a", "b", "c", "a"), "key": "A"},
        {"options": options("a", "b", "c", "d", correct=None), "key": None},
        {"options": options("a", "b") * 2, "key": "A"},
        {"explanation": "The answer is C."},
    ],
)
def test_a_structural_error_that_stays_never_passes(play: Any, broken: dict[str, Any]) -> None:
    play(question(**broken), scores((1, 1, 1, 1, 1)))
    run = made()
    assert ended(run) == ("needs_human_review", "needs_human_review", "fixes_exhausted")
    assert not run.judgements.exclude(outcome="failed").exists() and run.judgements.count() == 3


def test_a_lost_key_is_read_off_the_one_correct_option(play: Any) -> None:
    play(question(key=None), scores())
    first, second = contents(made())
    assert (first["key"], second["key"]) == ("", "B")


def test_the_institution_says_what_is_enough(play: Any) -> None:
    play()
    for slug, threshold, outcome in (
        ("strict", "0.84", "needs_human_review"),
        ("even", "0.83", "passed"),
        ("lax", "0.10", "passed"),
    ):
        Institution.objects.create(slug=slug, name=slug, quality_threshold=Decimal(threshold))
        run = made(institution=slug)
        assert run.judge_outcome == outcome
        assert run.judgements.earliest("cycle").result["threshold"] == float(threshold)


def test_the_judge_leaves_chance_out(play: Any) -> None:
    scripted = play()
    made()
    assert [(one.stage, one.deterministic) for one in scripted.requests] == [("question", False), ("judge", True)]


def test_the_seeds_scores_decide(play: Any) -> None:
    play(judge=[scores(POOR), scores(GOOD)])
    run = made()
    judged = run.judgements.order_by("cycle").values_list("outcome", "result__composite_score")
    assert list(judged) == [("failed", 0.54), ("passed", 0.83)]
