"""The mistakes that the demo makes in questions: how often, what they look like, and how they are recognised."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from generation.providers.demo.faults import coin
from generation.providers.demo.question.case import LETTERS, Case, Record, clean_question, ended, joined


class Slip(StrEnum):
    """In the order in which they are made: a later one does not undo an earlier one."""

    MIXED_UP = "mixed_up"  # a finding of another candidate in the case: wrong_information
    THIN = "thin"  # one finding alone: information_present false
    MISSING = "missing"  # the vital signs left out: missing_spec
    FIGURE = "figure"  # decimal points lost: wrong_physical_dimensions
    SHORT = "short"  # the case cut to a few words
    NEGATED = "negated"  # a stem that asks what it is not
    WEAK = "weak"  # a distractor that nobody would choose
    LETTERED = "lettered"  # options with letters of their own: bad_format
    DOUBLED = "doubled"  # an option twice
    WRONG_KEY = "wrong_key"  # a key beside the correct option


COMPONENT = {
    Slip.MIXED_UP: "vignette",
    Slip.THIN: "vignette",
    Slip.MISSING: "vignette",
    Slip.FIGURE: "vignette",
    Slip.SHORT: "vignette",
    Slip.NEGATED: "stem",
    Slip.WEAK: "distractors",
    Slip.LETTERED: "distractors",
    Slip.DOUBLED: "distractors",
    Slip.WRONG_KEY: "distractors",
}
# The share of first drafts without guidance that have a slip, and in each subcategory one kind more often.
RATE, PRONE_RATE = 0.07, 0.45
PRONE_TO = (Slip.MIXED_UP, Slip.MISSING, Slip.FIGURE, Slip.LETTERED)
CUT = 5  # words of a case that is cut short
SILLY = "Nothing at all, the patient is pretending"
NEGATED = "Which of the following does NOT fit this case?"
POINT = re.compile(r"(\d)\.(\d)")
LETTER = re.compile(r"^[A-E]\) ")


def rate(slip: Slip, subcategory: str) -> float:
    prone = PRONE_TO[int(coin("weakness", subcategory) * len(PRONE_TO))] if subcategory else None
    return PRONE_RATE if slip == prone else RATE


def question(given: Case, slips: frozenset[Slip]) -> Record:
    """The clean question with these slips, as far as the case gives room for them."""
    record = clean_question(given)
    for slip in Slip:
        if slip in slips:
            MAKE[slip](given, record)
    return record


def slips_in(given: Case, record: Mapping[str, Any]) -> frozenset[Slip]:
    """The slips that a question has, whoever made it."""
    return frozenset(slip for slip in Slip if SEEN[slip](given, record))


def _mix_up(given: Case, record: Record) -> None:
    here = joined(given.answer.findings)
    record["vignette"] = record["vignette"].replace(here, joined((*given.answer.findings, _foreign(given))))


def _foreign(given: Case) -> str:
    return given.others[0].findings[0]


def _thin(given: Case, record: Record) -> None:
    for finding in given.answer.findings[1:]:
        record["vignette"] = record["vignette"].replace(f", {finding}", "").replace(f" and {finding}", "")


def _miss(given: Case, record: Record) -> None:
    if given.signs:
        record["vignette"] = record["vignette"].replace(f" {ended(given.signs)}", "")


def _misplace(given: Case, record: Record) -> None:
    record["vignette"] = POINT.sub(r"\1\2", record["vignette"])


def _cut(given: Case, record: Record) -> None:
    record["vignette"] = " ".join(record["vignette"].split()[:CUT])


def _negate(given: Case, record: Record) -> None:
    record["stem"] = NEGATED


def _weaken(given: Case, record: Record) -> None:
    _wrong(record)[-1].update(text=SILLY, explanation="It is not so.")


def _letter(given: Case, record: Record) -> None:
    for letter, option in zip(LETTERS, record["options"], strict=False):
        option["text"] = f"{letter}) {option['text']}"


def _double(given: Case, record: Record) -> None:
    first, second, *_rest = _wrong(record)
    second.update(first)


def _wrong(record: Record) -> list[Record]:
    return [option for option in record["options"] if not option["correct"]]


def _miskey(given: Case, record: Record) -> None:
    count = len(record["options"])
    record["key"] = LETTERS[(LETTERS.index(record["key"]) + 1) % count]


MAKE: dict[Slip, Callable[[Case, Record], None]] = {
    Slip.MIXED_UP: _mix_up,
    Slip.THIN: _thin,
    Slip.MISSING: _miss,
    Slip.FIGURE: _misplace,
    Slip.SHORT: _cut,
    Slip.NEGATED: _negate,
    Slip.WEAK: _weaken,
    Slip.LETTERED: _letter,
    Slip.DOUBLED: _double,
    Slip.WRONG_KEY: _miskey,
}


def _vignette(record: Mapping[str, Any]) -> str:
    return str(record.get("vignette") or "")


def _texts(record: Mapping[str, Any]) -> list[str]:
    return [str(option.get("text") or "") for option in record.get("options") or []]


def _plain(record: Mapping[str, Any]) -> list[str]:
    return [LETTER.sub("", text) for text in _texts(record)]


def _without_points(text: str) -> str:
    return POINT.sub(r"\1\2", text)


def _is_thin(given: Case, record: Mapping[str, Any]) -> bool:
    text = _without_points(_vignette(record))
    return any(_without_points(finding) not in text for finding in given.answer.findings[1:])


def _misses(given: Case, record: Mapping[str, Any]) -> bool:
    return bool(given.signs) and _without_points(ended(given.signs)) not in _without_points(_vignette(record))


def _is_misplaced(given: Case, record: Mapping[str, Any]) -> bool:
    text = _vignette(record)
    return any(
        figure not in text and re.search(rf"(?<!\d){_without_points(figure)}(?!\d)", text) is not None
        for figure in re.findall(r"\d+\.\d+", str(clean_question(given)["vignette"]))
    )


def _is_miskeyed(given: Case, record: Mapping[str, Any]) -> bool:
    options = record.get("options") or []
    return [LETTERS[place] for place, one in enumerate(options[:5]) if one.get("correct")] != [record.get("key")]


SEEN: dict[Slip, Callable[[Case, Mapping[str, Any]], bool]] = {
    Slip.MIXED_UP: lambda given, record: _foreign(given) in _vignette(record),
    Slip.THIN: _is_thin,
    Slip.MISSING: _misses,
    Slip.FIGURE: _is_misplaced,
    Slip.SHORT: lambda given, record: len(_vignette(record).split()) <= CUT,
    Slip.NEGATED: lambda given, record: record.get("stem") == NEGATED,
    Slip.WEAK: lambda given, record: SILLY in _plain(record),
    Slip.LETTERED: lambda given, record: _plain(record) != _texts(record),
    Slip.DOUBLED: lambda given, record: len(set(_plain(record))) < len(_plain(record)),
    Slip.WRONG_KEY: _is_miskeyed,
}
