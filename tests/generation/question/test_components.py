"""Making one component anew leaves everything else byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from generation.flows.question.components import COMPONENTS, Incomplete, renewed
from generation.flows.question.record import LETTERS, Question
from generation.flows.question.structure import problems
from tests.generation.question.records import QUESTION, options

FIELDS = {"vignette": "vignette", "stem": "stem", "distractors": "options", "explanation": "explanation"}
texts = st.text(min_size=1).filter(str.strip)


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Any question of the right form, sound or not."""
    choices = draw(st.lists(st.tuples(texts, st.booleans(), st.text()), min_size=1, max_size=6))
    return {
        "vignette": draw(texts),
        "stem": draw(texts),
        "options": [{"text": text, "correct": correct, "explanation": why} for text, correct, why in choices],
        "key": draw(st.sampled_from([*LETTERS, "", "?"])),
        "explanation": draw(texts),
    }


def as_bytes(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


@given(questions(), questions(), st.sampled_from(COMPONENTS))
def test_the_rest_stays_byte_for_byte(before: dict[str, Any], answer: dict[str, Any], component: str) -> None:
    was = as_bytes(before)
    after = renewed(before, Question.model_validate(answer), component)
    assert as_bytes(before) == was
    may_change = {FIELDS[component]} | ({"key", "explanation"} if component == "distractors" else set())
    assert {name: as_bytes(value) for name, value in after.items() if name not in may_change} == {
        name: as_bytes(value) for name, value in before.items() if name not in may_change
    }
    if after["key"] == before["key"] and component == "distractors":
        kept = [one for one in before["options"] if one["correct"]]
        sound = len(kept) == 1 and before["options"].index(kept[0]) == LETTERS.find(before["key"])
        if sound and kept[0] in after["options"]:
            assert as_bytes(after["explanation"]) == as_bytes(before["explanation"])


@given(questions(), st.permutations(range(4)), st.integers(3, 4))
def test_the_key_points_at_the_correct_option_also_with_new_distractors(
    before: dict[str, Any], order: list[int], wrong: int
) -> None:
    """From any record, sound or not, to one whose key is right, if the answer has one correct option."""
    new = options("right", *[f"wrong {number}" for number in range(wrong)])
    new = [new[place] for place in order] + new[4:]
    after = renewed(
        before, Question.model_validate({"options": new, "key": "?", "explanation": "why"}), "distractors"
    )
    assert not {"correct_count", "wrong_key"} & {problem.code for problem in problems(after)}


def remade(*new: dict[str, Any], **before: Any) -> dict[str, Any]:
    answer = QUESTION | {"options": list(new), "key": "A", "explanation": "anew"}
    return renewed(QUESTION | before, Question.model_validate(answer), "distractors")


SOUND = QUESTION["options"][1]
W = options("Pneumothorax", "Embolism", "Reflux", "Zoster", correct=None)


@pytest.mark.parametrize(
    ("new", "key", "explanation"),
    [
        ([W[0], SOUND | {"text": "Reworded"}, W[1], W[2]], "B", QUESTION["explanation"]),
        ([W[0], W[1], SOUND, W[2]], "C", "anew"),
        ([SOUND, *W], "A", "anew"),
        (W[:3], "B", QUESTION["explanation"]),  # the wrong ones alone
    ],
)
def test_the_correct_option_stays_as_it_was(new: list[dict[str, Any]], key: str, explanation: str) -> None:
    after = remade(*new)
    assert (after["key"], after["explanation"]) == (key, explanation)
    assert after["options"][LETTERS.index(key)] == SOUND
    assert [one for one in after["options"] if not one["correct"]] == [one for one in new if not one["correct"]]
    assert problems(after) == []


def test_where_the_answer_calls_the_old_key_wrong_its_own_options_stand() -> None:
    new = [W[0] | {"correct": True}, SOUND | {"correct": False}, W[1], W[2]]
    after = remade(*new)
    assert (after["options"], after["key"], after["explanation"]) == (new, "A", "anew")


@pytest.mark.parametrize(
    "before", [{"key": ""}, {"key": "A"}, {"options": options("a", "b", "c", "d", correct=None)}]
)
def test_a_record_that_contradicts_itself_takes_the_answers_options_whole(before: dict[str, Any]) -> None:
    new = [W[0], W[1], W[2] | {"correct": True}, W[3]]
    after = remade(*new, **before)
    assert (after["options"], after["key"], after["explanation"]) == (new, "C", "anew")


def test_an_explanation_of_another_option_goes_with_it_though_the_letter_stays() -> None:
    new = [W[0] | {"correct": True}, W[1], W[2], W[3]]
    after = remade(*new, key="A")  # while the option marked correct is B
    assert (after["options"], after["key"], after["explanation"]) == (new, "A", "anew")


def test_a_correct_option_beyond_the_letters_is_left_to_the_rules() -> None:
    after = remade(*W, W[0] | {"text": "Gout"}, W[0] | {"text": "Asthma", "correct": True}, key="")
    assert {"option_count", "wrong_key"} <= {problem.code for problem in problems(after)}


def test_an_answer_with_two_correct_options_is_left_to_the_rules() -> None:
    after = remade(W[0] | {"correct": True}, W[1] | {"correct": True}, W[2], W[3])
    assert {"correct_count"} == {problem.code for problem in problems(after)}


@pytest.mark.parametrize(
    ("component", "answer"),
    [
        *((component, {}) for component in COMPONENTS),
        ("stem", {"stem": "  "}),
        ("distractors", {"options": [], "key": "A", "explanation": "why"}),
        ("distractors", {"options": [SOUND, *W]}),  # moves the key and explains nothing
    ],
)
def test_an_answer_without_what_was_asked_for(component: str, answer: dict[str, Any]) -> None:
    with pytest.raises(Incomplete):
        renewed(QUESTION, Question.model_validate(answer), component)


@pytest.mark.parametrize(
    ("given_key", "key"),
    [("b", "B"), (" B ", "B"), ("(B)", "B"), ("B.", "B"), ("Option B", "B"), ("F", "F"), (None, ""), ("BC", "BC")],
)
def test_the_keys_spellings(given_key: str | None, key: str) -> None:
    assert Question.model_validate(QUESTION | {"key": given_key}).key == key


@pytest.mark.parametrize(
    "wrong", [{"options": {}}, {"options": ["a"]}, {"vignette": 3}, {"stem": ["a"]}, {"key": 2}]
)
def test_what_has_no_form_of_a_question_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate(QUESTION | wrong)
