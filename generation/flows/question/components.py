"""Making one component anew: what is taken from an answer, and what stays as it was, byte for byte."""

from collections.abc import Mapping
from typing import Any

from generation.flows.question.record import LETTERS, Question
from generation.flows.question.structure import parts, same

COMPONENTS = ("vignette", "stem", "distractors", "explanation")
Record = dict[str, Any]


class Incomplete(Exception):
    """The answer does not hold what was asked for; its words say what is missing."""


def renewed(before: Mapping[str, Any], answer: Question, component: str) -> Record:
    """The record with this one component from the answer. Raises Incomplete.

    New distractors may move the key, and the explanation with it; nothing else changes beside the component.
    """
    if component == "distractors":
        return _with_distractors(before, answer)
    text = getattr(answer, component)
    if not text:
        raise Incomplete(f"the answer has no {component}")
    return {**before, component: text}


def _with_distractors(before: Mapping[str, Any], answer: Question) -> Record:
    """The correct option stays as it was where it was sound, in the place that the answer gives it."""
    new = [option.model_dump(mode="json") for option in answer.options]
    if not new:
        raise Incomplete("the answer has no options")
    place = _sound_place(before)
    sound: Record | None = None
    if place is not None:
        sound = dict(before["options"][place])
        new = _keeping(sound, place, new)
    correct = [index for index, option in enumerate(new) if option["correct"]]
    key = LETTERS[correct[0]] if len(correct) == 1 and correct[0] < len(LETTERS) else answer.key
    record = {**before, "options": new}
    if key == before.get("key") and sound in new:
        return record
    if not answer.explanation:
        raise Incomplete("the key moved and the answer has no explanation")
    return {**record, "key": key, "explanation": answer.explanation}


def _sound_place(before: Mapping[str, Any]) -> int | None:
    """Where the one correct option stands, if the key points at it; None where the record contradicts itself."""
    question = parts(before)
    return question.keyed if question.correct == [question.keyed] else None


def _keeping(sound: Record, place: int, new: list[Record]) -> list[Record]:
    """The new options with the correct one as it was: in the place of theirs, else where it stood.

    Where the answer now calls that option wrong, or has two correct ones, the answer's options stand as they are.
    """
    correct = [index for index, option in enumerate(new) if option["correct"]]
    if len(correct) > 1 or any(
        same(option["text"]) == same(sound["text"]) for option in new if not option["correct"]
    ):
        return new
    at = correct[0] if correct else place
    return [*new[:at], sound, *new[at + len(correct) :]]
