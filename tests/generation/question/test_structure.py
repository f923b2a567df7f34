"""The structural rules, a case on each side of every one."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation.flows.question.structure import CHECKS, Check, parts, problems
from tests.generation.question.records import QUESTION, options

FIVE = ("Asthma", "Bronchitis", "Pneumonia", "Embolism", "Heart failure")
FAR = {"far_length": "distractors warning"}
# Of ten characters each: thirty are three times as many, and twenty more.
TENS = ("Tonsilitis", "Bronchitis", "Laryngitis")


def codes(content: dict[str, Any]) -> dict[str, str]:
    return {problem.code: f"{problem.field} {problem.severity}" for problem in problems(content)}


def test_a_sound_question() -> None:
    assert problems(QUESTION) == []


EXACTLY = "A man of 61 years has a dry cough since Monday...."  # 50 characters, 10 words
BROKEN: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"vignette": EXACTLY}, {}),
    ({"vignette": EXACTLY[:-1]}, {"short_vignette": "vignette error"}),
    ({"vignette": "Hypercholesterolaemia, microalbuminuria, retinopathy."}, {"short_vignette": "vignette error"}),
    ({"vignette": ""}, {"short_vignette": "vignette error"}),
    ({"vignette": None}, {"short_vignette": "vignette error"}),
    ({"vignette": f"{EXACTLY} The examination shows a"}, {"broken_off": "vignette warning"}),
    ({"stem": "Most likely diagnosis"}, {"no_question": "stem error"}),
    ({"stem": ""}, {"no_question": "stem error"}),
    ({"stem": "Most likely diagnosis?"}, {}),
    ({"stem": "The most likely diagnosis is"}, {}),
    ({"stem": "The most likely diagnosis:"}, {}),
    ({"stem": "Identify the most likely diagnosis."}, {}),
    ({"stem": "Welche Diagnose liegt am nächsten?"}, {}),
    ({"stem": "Which of these is NOT a cause?"}, {"negated_stem": "stem warning"}),
    ({"stem": "All are causes, except which?"}, {"negated_stem": "stem warning"}),
    ({"stem": "Which nothing-by-mouth rule applies?"}, {}),
    ({"stem": "Which of these is always present?"}, {"absolute_stem": "stem warning"}),
    ({"options": options("Asthma", "Bronchitis", "Pneumonia"), "key": "A"}, {"option_count": "distractors error"}),
    ({"options": options(*FIVE), "key": "A"}, {}),
    ({"options": options(*FIVE, "Anaemia"), "key": "A"}, {"option_count": "distractors error"}),
    ({"options": options(*FIVE[:3], ""), "key": "A"}, {"blank_option": "distractors error"}),
    ({"options": options(*FIVE[:3], " asthma."), "key": "A"}, {"doubled_option": "distractors error"}),
    ({"options": options("+45 mV", "-45 mV", "10² per l", "102 per l"), "key": "A"}, {}),
    ({"options": options(*FIVE[:3], "Heart failure " * 3), "key": "A"}, {"far_length": "distractors warning"}),
    ({"options": options("Heart failure " * 3, *FIVE[:3]), "key": "A"}, {}),  # no distractor
    ({"options": options(*TENS, "Closure of the hepatic vein(s)"), "key": "A"}, FAR),
    ({"options": options(*TENS, "Thrombosis of a portal branch"), "key": "A"}, {}),
    ({"options": options(*FIVE[:3], "All of the above"), "key": "A"}, {"all_or_none": "distractors warning"}),
    ({"options": options(*FIVE[:3], "None of these"), "key": "A"}, {"all_or_none": "distractors warning"}),
    ({"options": options(*FIVE[:3], "Alle der genannten"), "key": "A"}, {"all_or_none": "distractors warning"}),
    ({"options": options(*FIVE, correct=None), "key": "A"}, {"correct_count": "answer_key error"}),
    (
        {"options": options(*FIVE[:4]) + options(FIVE[4]), "key": "A"},
        {"correct_count": "answer_key error"},
    ),
    ({"key": ""}, {"wrong_key": "answer_key error"}),
    ({"key": None}, {"wrong_key": "answer_key error"}),
    ({"key": "E"}, {"wrong_key": "answer_key error"}),
    ({"key": "F"}, {"wrong_key": "answer_key error"}),
    ({"key": "AB"}, {"wrong_key": "answer_key error"}),
    ({"key": "A"}, {"wrong_key": "answer_key error", "explains_another": "answer_key warning"}),
    ({"key": "b"}, {}),
    ({"explanation": ""}, {"no_explanation": "explanation error"}),
    ({"explanation": "Answer: C, since it hurts."}, {"explained_otherwise": "answer_key error"}),
    ({"explanation": "Ans. is 'd' i.e. dissection"}, {"explained_otherwise": "answer_key error"}),
    ({"explanation": "The correct option is (A)."}, {"explained_otherwise": "answer_key error"}),
    ({"explanation": "The correct answer is B."}, {}),
    ({"explanation": "The answer is a matter of the ECG."}, {}),
    ({"explanation": "The best answer. Costochondritis fits."}, {"explains_another": "answer_key warning"}),
    ({"explanation": "Anterior infarction, not costochondritis."}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "found"), BROKEN)
def test_every_rule(changes: dict[str, Any], found: dict[str, str]) -> None:
    assert codes(QUESTION | changes) == found


def test_every_rule_has_a_case() -> None:
    assert {code for _, found in BROKEN for code in found} == {check.code for check in CHECKS}


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"vignette": 3, "stem": [], "options": {}, "key": {}, "explanation": False},
        {"options": ["Asthma", None, 3, {"text": ["x"], "correct": "yes"}], "key": "A"},
    ],
)
def test_any_shape_is_told_and_never_a_crash(content: dict[str, Any]) -> None:
    found = codes(content)
    assert found["short_vignette"] and found["no_question"] and found["correct_count"]


def test_a_rule_that_breaks_stops_no_other_and_passes_nothing() -> None:
    def breaks(question: Any) -> Any:
        raise RuntimeError("broken")
        yield

    broken = Check("breaks", "stem", "error", breaks)
    found = problems(QUESTION | {"key": ""}, (broken, *CHECKS))
    assert [(one.code, one.field, one.severity) for one in found] == [
        ("breaks", "stem", "error"),
        ("wrong_key", "answer_key", "error"),
    ]


def test_how_short_is_too_short_can_be_set(settings: Settings) -> None:
    settings.SHORTEST_VIGNETTE = {"characters": 500, "words": 10}
    assert codes(QUESTION) == {"short_vignette": "vignette error"}
    settings.SHORTEST_VIGNETTE = {"characters": 1, "words": 1}
    assert codes(QUESTION | {"vignette": "Pain."}) == {}


def test_a_finding_stands_where_the_problem_is() -> None:
    doubled = QUESTION | {"options": options(*FIVE[:3], "asthma"), "key": "A"}
    assert [one.finding for one in problems(doubled)] == [
        {
            "field": "/options/3/text",
            "code": "doubled_option",
            "severity": "error",
            "detail": "options A and D are the same",
        }
    ]
    assert parts(doubled).keyed == 0
