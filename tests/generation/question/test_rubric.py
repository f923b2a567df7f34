"""Reading and weighing scores: the seed's examples, the grid, ties, and every answer that is none."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from generation.flows.question.flow import RUBRIC
from generation.judges.rubric import Dimension, Problem, Score, Unreadable, mean, read, weakest, weigh
from tests.generation.question.records import DIMENSIONS, GOOD, POOR, scored, scores

THRESHOLD = Decimal("0.7")
TENTHS = (3, 2, 2, 2, 1)  # the weights
GRID = 20  # steps of 0.05 from 0 to 1


def of(*values: Any) -> list[Score]:
    return [
        Score(dimension, Decimal(str(value)), f"about {dimension.name}")
        for dimension, value in zip(RUBRIC.dimensions, values, strict=True)
    ]


def error(field: str) -> Problem:
    return Problem(field, "code", "error", f"{field} is wrong", f"/{field}")


@pytest.mark.parametrize(
    ("values", "composite", "passes"),
    [(GOOD, "0.83", True), (POOR, "0.54", False), ((0.7,) * 5, "0.7", True), ((1, 1, 1, 1, 1), "1", True)],
)
def test_the_weighted_mean(values: tuple[float, ...], composite: str, passes: bool) -> None:
    assert mean(of(*values)) == Decimal(composite)
    judged = weigh(RUBRIC, [], read(scores(values), RUBRIC.dimensions), THRESHOLD)
    assert (judged.outcome == "passed") == passes == judged.result["passes_threshold"]
    assert judged.result["composite_score"] == float(composite)


def on_grid(total: int) -> Iterator[tuple[int, ...]]:
    """Every tuple of scores, in steps of 0.05, whose weighted mean is total / 200."""
    for first in product(range(GRID + 1), repeat=4):
        last = total - sum(weight * score for weight, score in zip(TENTHS, first, strict=False))
        if 0 <= last <= GRID:
            yield (*first, last)


@pytest.mark.parametrize(("total", "passes"), [(140, True), (139, False)])
def test_exactly_the_threshold_passes_whatever_makes_it_up(total: int, passes: bool) -> None:
    """0.70 and 0.695, the next below it that the grid can give: every tuple of both, from floats as in JSON."""
    exact = {step: Decimal(str(step / GRID)) for step in range(GRID + 1)}
    seen = 0
    for steps in on_grid(total):
        seen += 1
        given = [Score(d, exact[step], "") for d, step in zip(RUBRIC.dimensions, steps, strict=True)]
        assert (mean(given) >= THRESHOLD) == passes, steps
    assert seen > 20_000


def test_floats_would_have_failed_some_of_them() -> None:
    """Why it is Decimal: the test above can fail."""
    floats = [sum(w / 10 * s / GRID for w, s in zip(TENTHS, steps, strict=True)) for steps in on_grid(140)]
    assert any(value < 0.7 for value in floats)


def test_the_mean_is_divided_by_the_sum_of_the_weights() -> None:
    heavy, light = Dimension("a", Decimal(3), "stem"), Dimension("b", Decimal(1), "stem")
    assert mean([Score(heavy, Decimal("0.5"), ""), Score(light, Decimal("0.9"), "")]) == Decimal("0.6")


@pytest.mark.parametrize("weights", ["0.3 0.2 0.2 0.2 0.2", "0.3 0.2 0.2 0.2 0", "1.1 -0.1 0 0 0"])
def test_weights_must_sum_to_one(weights: str) -> None:
    changed = tuple(
        replace(dimension, weight=Decimal(weight))
        for dimension, weight in zip(RUBRIC.dimensions, weights.split(), strict=True)
    )
    with pytest.raises(ValueError, match="sum to 1"):
        replace(RUBRIC, dimensions=changed)


@pytest.mark.parametrize(
    ("values", "component"),
    [
        ((0.1, 0.9, 0.9, 0.9, 0.9), "vignette"),
        ((0.9, 0.1, 0.9, 0.9, 0.9), "stem"),
        ((0.9, 0.9, 0.1, 0.9, 0.9), "distractors"),
        ((0.9, 0.9, 0.9, 0.1, 0.9), "stem"),
        ((0.9, 0.9, 0.9, 0.9, 0.1), "stem"),
        ((0.5, 0.5, 0.5, 0.5, 0.5), "vignette"),  # the heavier weight
        ((0.9, 0.9, 0.5, 0.9, 0.5), "distractors"),
        ((0.9, 0.9, 0.5, 0.5, 0.9), "distractors"),  # of equal weights the first
        ((0.9, 0.5, 0.5, 0.9, 0.9), "stem"),
    ],
)
def test_the_weakest_component(values: tuple[float, ...], component: str) -> None:
    assert weakest(of(*values)).component == component


def test_of_equal_scores_the_heavier_weight_is_weakest_wherever_it_stands() -> None:
    backwards = of(0.9, 0.9, 0.5, 0.9, 0.5)[::-1]  # the shipped dimensions stand heaviest first
    assert backwards[0].dimension.weight < backwards[2].dimension.weight
    assert weakest(backwards) == backwards[2].dimension


@pytest.mark.parametrize(
    ("field", "component"),
    [
        ("vignette", "vignette"),
        ("stem", "stem"),
        ("distractors", "distractors"),
        ("answer_key", "distractors"),
        ("explanation", "explanation"),
    ],
)
@pytest.mark.parametrize("values", [GOOD, POOR, (1, 1, 1, 1, 1)])
def test_a_structural_error_picks_the_component_whatever_the_scores(
    field: str, component: str, values: tuple[float, ...]
) -> None:
    judged = weigh(RUBRIC, [error(field)], of(*values), THRESHOLD)
    assert (judged.outcome, judged.correction_target) == ("failed", component)
    assert judged.feedback.startswith(f"{field} is wrong")
    assert judged.result["validation"]["is_valid"] is False


def test_a_warning_alone_passes() -> None:
    warning = replace(error("stem"), severity="warning")
    judged = weigh(RUBRIC, [warning], of(*GOOD), THRESHOLD)
    assert (judged.outcome, judged.feedback, judged.correction_target) == ("passed", "", "")
    assert judged.result["validation"] == {
        "is_valid": True,
        "errors": [{"field": "stem", "message": "stem is wrong", "severity": "warning"}],
    }


def test_the_feedback_names_every_dimension_below_the_threshold() -> None:
    judged = weigh(RUBRIC, [], of(*POOR), THRESHOLD)
    assert judged.feedback.split("\n") == [
        "clinical accuracy 0.4: about clinical_accuracy",
        "pedagogical alignment 0.6: about pedagogical_alignment",
        "distractor quality 0.5: about distractor_quality",
        "blooms match 0.6: about blooms_match",
    ]  # slo_coverage has exactly 0.7
    assert [(one["field"], one["severity"]) for one in judged.findings] == [
        ("/vignette", "error"),
        ("/stem", "error"),
        ("/options", "error"),
        ("/stem", "error"),
    ]


def test_what_is_weak_in_a_question_that_passes_is_a_warning() -> None:
    judged = weigh(RUBRIC, [], of(1, 1, 0.6, 1, 1), THRESHOLD)
    assert judged.outcome == "passed"
    assert [(one["code"], one["severity"]) for one in judged.findings] == [("distractor_quality", "warning")]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no scores"),
        ("I cannot score this.", "no scores"),
        ("0.9 0.8 0.7 0.9 0.8", "no scores"),
        ("[]", "no scores"),
        ('{"verdict": "pass"}', "no scores"),
        (json.dumps({"scores": scored()}), "no scores"),  # one level too deep
        (scores()[:-1], "no scores"),  # cut
        (scores(clinical_accuracy={"score": float("nan")}), "no scores"),  # NaN is no JSON
        *((scores(GOOD, **{name: None}), f"left out {name}") for name in DIMENSIONS),
        (scores(blooms_match="good"), "no number"),
        (scores(blooms_match=0.8), "no number"),  # not in the form that was asked for
        (scores(blooms_match={}), "no number"),
        (scores(blooms_match={"score": None}), "no number"),
        (scores(blooms_match={"score": "0.8"}), "no number"),
        (scores(blooms_match={"score": True}), "no number"),
        (scores(blooms_match={"score": [0.8]}), "no number"),
        (scores(blooms_match={"score": 1.01}), "between 0 and 1"),
        (scores(blooms_match={"score": -0.01}), "between 0 and 1"),
        (scores(blooms_match={"score": 8}), "between 0 and 1"),
        (scores().replace("0.9", "1e999"), "between 0 and 1"),
        (scores() + scores(POOR), "disagree"),
        ('The draft says {"clinical_accuracy": {"score": 1}}, but: ' + scores(POOR), "disagree"),
        (scores() + '{"clinical_accuracy": 1}', "disagree"),
    ],
)
def test_an_answer_that_is_no_scores(answer: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read(answer, RUBRIC.dimensions)


@pytest.mark.parametrize(
    "answer",
    [
        scores(),
        f"Here you are:\n```json\n{scores()}\n```",
        scores() + "\n" + scores(),  # said twice
        '{"note": "none"} ' + scores(),
        scores(blooms_match={"score": 0.8, "feedback": None}),
    ],
)
def test_scores_are_found(answer: str) -> None:
    assert [score.value for score in read(answer, RUBRIC.dimensions)] == [Decimal(str(value)) for value in GOOD]


def test_feedback_is_one_line_of_bounded_length() -> None:
    long = {"score": 0, "feedback": "first\nMake anew: stem\n" + "x" * 5000}
    [accuracy, *_] = read(scores(clinical_accuracy=long), RUBRIC.dimensions)
    assert "\n" not in accuracy.feedback and len(accuracy.feedback) == 1000


@pytest.mark.parametrize(
    ("threshold", "outcome"),
    [("0.82", "passed"), ("0.83", "passed"), ("0.84", "failed"), ("0", "passed"), ("1", "failed")],
)
def test_the_threshold_is_the_callers(threshold: str, outcome: str) -> None:
    judged = weigh(RUBRIC, [], of(*GOOD), Decimal(threshold))
    assert (judged.outcome, judged.result["threshold"]) == (outcome, float(threshold))
