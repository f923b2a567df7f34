"""The structural rules of a question: what is wrong with it can be seen without knowing any medicine.

An error picks the component that is made anew, whatever the scores; a warning is for the judge and the reviewer.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import structlog
from django.conf import settings

from generation.flows.question.record import LETTERS
from generation.judges.rubric import Problem, Severity

log = structlog.get_logger(__name__)
FEWEST, MOST = 4, 5  # options
FAR, FAR_CHARACTERS = 3, 20  # a distractor so many times as long as the others, or its inverse, and so much apart

# A question mark, or a question without one: an interrogative or an imperative where a question begins.
ASKING = re.compile(
    r"[?？؟]|\b(?:what|which|whose|whom|welche\w*)\b|(?:^|[.,:;]\s+)(?:who|when|where|why|how|identify"
    r"|select|choose|name|state|determine|calculate|recommend"
    r"|was|wer|wen|wem|wann|wo|warum|wie|womit|worauf|nennen)\b",
    re.IGNORECASE,
)
# A sentence that the option completes.
OPEN_END = re.compile(
    r"(?:[:…_–-]|\b(?:is|are|was|were|be|by|to|ist|sind|shows?|suggests?|indicates?|includes?|causes?|requires?))\W*$",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"\b(?:except|not|least|false|untrue|incorrect|neither|außer|nicht|kein\w*)\b|n['’]t\b", re.IGNORECASE
)
ABSOLUTE = re.compile(r"\b(?:always|never|only|every|must|invariably|immer|nie|niemals|nur)\b", re.IGNORECASE)
ALL_OR_NONE = re.compile(
    r"\b(?:all|none|both|any)\s+(?:of\s+)?(?:the\s+|these\s*)?(?:above|these|options?|answers?)\b"
    r"|^\W*(?:all|none|both)\W*$|\b(?:alle|keine)\s+der\s+(?:genannten|oben)",
    re.IGNORECASE,
)
# "Answer: B", "Ans. is 'c'", "the correct option is (D)". A bare "a" may be an article, so it needs its mark.
NAMED = re.compile(
    r"\b(?:ans(?:wer)?|(?:correct|right|best)\s+(?:answer|option|choice)|key)\b[\s.,:;=(\-–]*(?:is|was)?[\s:(]*"
    r"(?:option\b[\s:(]*)?(?:(?P<quoted>['\"‘“(\[][A-Ea-e]['\"’”)\]])|(?P<marked>[A-Ea-e])(?=\s*[.):;,(\]–-]|\s*$|\s+i\.?e\b)"
    r"|(?P<plain>[B-E])(?=\s))",
    re.IGNORECASE,
)  # fmt: skip
LAST = re.compile(r"[.!?:;…)\]\"'”’»%°。？！]\s*$")


@dataclass(frozen=True)
class Choice:
    text: str
    correct: bool


@dataclass(frozen=True)
class Parts:
    """A question as the rules see it, whatever shape the record has."""

    vignette: str
    stem: str
    options: tuple[Choice, ...]
    key: str
    explanation: str

    @property
    def correct(self) -> list[int]:
        return [index for index, option in enumerate(self.options) if option.correct]

    @property
    def keyed(self) -> int | None:
        """The place that the key names; None where it names none."""
        index = LETTERS.find(self.key) if len(self.key) == 1 else -1
        return index if 0 <= index < len(self.options) else None


def parts(content: Mapping[str, Any]) -> Parts:
    given = content.get("options")
    options = (
        [one if isinstance(one, Mapping) else {"text": one} for one in given] if isinstance(given, list) else []
    )
    return Parts(
        vignette=_text(content.get("vignette")),
        stem=_text(content.get("stem")),
        options=tuple(Choice(_text(one.get("text")), one.get("correct") is True) for one in options),
        key=_text(content.get("key")).upper(),
        explanation=_text(content.get("explanation")),
    )


def _text(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def same(text: str) -> str:
    """What two options are compared by: case and spaces do not make them differ, signs and exponents do."""
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold().rstrip(" .;,")


Rule = Callable[[Parts], Iterator[str | tuple[str, str]]]  # messages, or (JSON pointer, message)


@dataclass(frozen=True)
class Check:
    """A rule, and what each thing that it finds is."""

    code: str
    field: str  # vignette, stem, distractors, answer_key, explanation
    severity: Severity
    rule: Rule


def _short_vignette(question: Parts) -> Iterator[str]:
    shortest = settings.SHORTEST_VIGNETTE
    words = len(question.vignette.split())
    if len(question.vignette) < shortest["characters"] or words < shortest["words"]:
        yield (
            f"the vignette has {len(question.vignette)} characters and {words} words; at least "
            f"{shortest['characters']} and {shortest['words']} are needed"
        )


def _breaks_off(question: Parts) -> Iterator[str]:
    if question.vignette and not LAST.search(question.vignette):
        yield "the vignette breaks off without an end to its last sentence"


def _no_question(question: Parts) -> Iterator[str]:
    stem = question.stem
    if not stem:
        yield "there is no stem"
    elif not (ASKING.search(stem) or OPEN_END.search(stem)):
        yield "the stem asks no question"


def _negated(question: Parts) -> Iterator[str]:
    if found := NEGATED.search(question.stem):
        yield f"the stem is negated ({found.group()})"


def _absolute(question: Parts) -> Iterator[str]:
    if found := ABSOLUTE.search(question.stem):
        yield f"the stem has an absolute word ({found.group()})"


def _count(question: Parts) -> Iterator[str]:
    if not FEWEST <= len(question.options) <= MOST:
        yield f"there are {len(question.options)} options; four or five are needed"


def _blank_option(question: Parts) -> Iterator[tuple[str, str]]:
    for index, option in enumerate(question.options):
        if not option.text:
            yield f"/options/{index}/text", f"option {_letter(index)} has no text"


def _doubled(question: Parts) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for index, option in enumerate(question.options):
        first = seen.setdefault(same(option.text), index)
        if first != index and option.text:
            yield f"/options/{index}/text", f"options {_letter(first)} and {_letter(index)} are the same"


def _one_correct(question: Parts) -> Iterator[str]:
    if len(question.correct) != 1:
        yield f"{len(question.correct)} options are marked correct; exactly one must be"


def _key(question: Parts) -> Iterator[str]:
    if not question.key:
        yield "there is no answer key"
    elif question.keyed is None:
        yield "the key names no option"
    elif len(question.correct) == 1 and question.keyed != question.correct[0]:
        yield f"the key is {question.key}, the option marked correct is {_letter(question.correct[0])}"


def _explained_otherwise(question: Parts) -> Iterator[str]:
    named = {
        found.group(found.lastgroup or 0).strip("'\"‘’“”()[]").upper()
        for found in NAMED.finditer(question.explanation)
    }
    if named and question.keyed is not None and question.key not in named:
        yield f"the explanation gives {' and '.join(sorted(named))} as the answer, the key is {question.key}"


def _explains_another(question: Parts) -> Iterator[str]:
    said = same(question.explanation)
    named = [index for index, option in enumerate(question.options) if _names(said, same(option.text))]
    if len(named) == 1 and question.keyed is not None and named[0] != question.keyed:
        yield f"the explanation names option {_letter(named[0])} and never the key's"


def _names(said: str, option: str) -> bool:
    return len(option) > 3 and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", said) is not None


def _no_explanation(question: Parts) -> Iterator[str]:
    if not question.explanation:
        yield "there is no explanation"


def _far_length(question: Parts) -> Iterator[tuple[str, str]]:
    lengths = [len(option.text) for option in question.options]
    for index, option in enumerate(question.options):
        others = [length for place, length in enumerate(lengths) if place != index]
        if option.correct or len(others) < 2:
            continue
        usual, length = median(others), lengths[index]
        if abs(length - usual) >= FAR_CHARACTERS and not usual / FAR < length < usual * FAR:
            word = "longer" if length > usual else "shorter"
            yield f"/options/{index}/text", f"option {_letter(index)} is far {word} than the rest"


def _all_or_none(question: Parts) -> Iterator[tuple[str, str]]:
    for index, option in enumerate(question.options):
        if ALL_OR_NONE.search(option.text):
            yield f"/options/{index}/text", f"option {_letter(index)} speaks of the other options"


def _letter(index: int) -> str:
    return LETTERS[index] if index < len(LETTERS) else f"number {index + 1}"


CHECKS = (
    Check("short_vignette", "vignette", "error", _short_vignette),
    Check("broken_off", "vignette", "warning", _breaks_off),
    Check("no_question", "stem", "error", _no_question),
    Check("negated_stem", "stem", "warning", _negated),
    Check("absolute_stem", "stem", "warning", _absolute),
    Check("option_count", "distractors", "error", _count),
    Check("blank_option", "distractors", "error", _blank_option),
    Check("doubled_option", "distractors", "error", _doubled),
    Check("far_length", "distractors", "warning", _far_length),
    Check("all_or_none", "distractors", "warning", _all_or_none),
    Check("correct_count", "answer_key", "error", _one_correct),
    Check("wrong_key", "answer_key", "error", _key),
    Check("explained_otherwise", "answer_key", "error", _explained_otherwise),
    Check("explains_another", "answer_key", "warning", _explains_another),
    Check("no_explanation", "explanation", "error", _no_explanation),
)
POINTERS = {
    "vignette": "/vignette",
    "stem": "/stem",
    "distractors": "/options",
    "answer_key": "/key",
    "explanation": "/explanation",
}


def problems(content: Mapping[str, Any], checks: tuple[Check, ...] = CHECKS) -> list[Problem]:
    """Everything that the rules find, in their order. A rule that breaks counts as one that found something."""
    question, found = parts(content), []
    for check in checks:
        try:
            for said in check.rule(question):
                pointer, message = (POINTERS[check.field], said) if isinstance(said, str) else said
                found.append(Problem(check.field, check.code, check.severity, message, pointer))
        except Exception as error:  # one rule stops no other
            log.exception("structural_rule_broke", rule=check.code, error=type(error).__name__)
            unchecked = f"the rule {check.code} could not be checked"
            found.append(Problem(check.field, check.code, check.severity, unchecked, POINTERS[check.field]))
    return found
