"""What the check and the judge found, in words, each with the field that it concerns."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])|\n+")
_OF_SIZES = ("implausible_size", "not_positive", "wrong_unit", "unknown_unit")


@dataclass(frozen=True)
class Note:
    """A finding in words: who says it, how grave it is, and the JSON pointer of its field; "" for the whole."""

    who: str
    text: str
    field: str = ""
    grave: bool = False
    size: bool = False  # of the check of physical sizes

    @property
    def icon(self) -> str:
        return "i-ruler" if self.size else "i-cross" if self.grave else "i-alert"

    def within(self, pointer: str) -> str:
        """The way to its field from a parent of it, in words: "2. text"."""
        parts = self.field.removeprefix(pointer).strip("/").split("/")
        return " ".join(f"{int(part) + 1}." if part.isdigit() else part.replace("_", " ") for part in parts)


def notes(
    findings: Iterable[Mapping[str, Any]],
    judged: Iterable[Mapping[str, Any]],
    feedback: str,
    judge: str,
    labels: Mapping[str, str],
) -> list[Note]:
    """Of the check, of the judge, then what the judge's free text says beyond them. labels: pointer → label."""
    found = [_note(finding, "") for finding in findings] + [_note(finding, judge) for finding in judged]
    return found + list(_of_feedback(feedback, judge, {note.text for note in found}, labels))


def _note(finding: Mapping[str, Any], judge: str) -> Note:
    code = str(finding.get("code", ""))
    size = code in _OF_SIZES
    who = judge or (_("Size check") if size else _("Format check") if code == "schema" else _("Check"))
    return Note(
        who,
        str(finding.get("detail", "")),
        str(finding.get("field", "")).rstrip("/"),
        grave=finding.get("severity") == "error",
        size=size and not judge,
    )


def _of_feedback(feedback: str, judge: str, said: set[str], labels: Mapping[str, str]) -> Iterator[Note]:
    """A sentence that names one field stands there, the rest together, in its own words."""
    rest = []
    for sentence in _SENTENCE_END.split(feedback):
        text = sentence.strip(" \t-*•")
        if not text or text in said:
            continue
        named = [pointer for pointer, label in labels.items() if len(label) > 3 and _names(text, label)]
        if len(named) == 1:
            yield Note(judge, text, named[0], grave=True)
        else:
            rest.append(text)
    if rest:
        yield Note(judge, "\n".join(rest), grave=True)


def _names(sentence: str, label: str) -> bool:
    words = rf"(?<!\w){re.escape(label.casefold().replace('_', ' '))}(?!\w)"
    return re.search(words, sentence.casefold().replace("_", " ")) is not None


def nearest(pointer: str, known: Iterable[str]) -> str:
    """The longest of the known pointers that is this one or a parent of it; "" where there is none."""
    fitting = (one for one in known if pointer == one or pointer.startswith(f"{one}/"))
    return max(fitting, key=len, default="")
