"""Following guidance: which mistakes the words of a prompt warn of, and which fields they ask for."""

import re
from dataclasses import dataclass

from generation.providers.demo import vocabulary
from generation.providers.demo.faults import Fault
from generation.providers.demo.prompt import QUOTE, Prompt
from generation.providers.demo.vocabulary import concept, fold

# Words by which guidance is known. A model would understand any wording; these rules know these.
TELLING: dict[Fault, re.Pattern[str]] = {
    Fault.UNIT_SLIP: re.compile(r"\b(?:im)?plausib|\bright unit|\bcorrect unit|richtige einheit", re.IGNORECASE),
    Fault.WRONG_INFORMATION: re.compile(r"\bcross-?check|\bevidence\b|\bbelege?\b|\bgegenprüf", re.IGNORECASE),
    Fault.LOOSE_FORM: re.compile(r"\bstrict(?:ly)?\b|\bstreng\b", re.IGNORECASE),
    Fault.GIVING_UP: re.compile(r"\b(?:search|look) further\b|\bsuche? weiter\b", re.IGNORECASE),
}
# What people and judges write about one record; looser, for it speaks of this record alone.
REMARKS: dict[Fault, re.Pattern[str]] = {
    Fault.UNIT_SLIP: re.compile(
        r"\b(?:size|dimensions?|units?|weight|usual|maße|größe|einheit|gewicht|abmessung(?:en)?)\b", re.IGNORECASE
    ),
    Fault.WRONG_INFORMATION: re.compile(
        r"\b(?:wrong|incorrect|invented|not in the source|false|falsch|erfunden|stimmt nicht)\b", re.IGNORECASE
    ),
    Fault.LOOSE_FORM: re.compile(r"\b(?:format|form|schema|inside the value|valid|formatierung)\b", re.IGNORECASE),
    Fault.MISSING: re.compile(r"\b(?:missing|lacks|the source gives|fehlt|fehlen)\b", re.IGNORECASE),
    Fault.GIVING_UP: re.compile(r"\b(?:incomplete|too little|unvollständig|zu wenig)\b", re.IGNORECASE),
}
FIRST = re.compile(r"\b(?:look for|find|suche)\b[^.:\n]{0,40}\b(?:first|zuerst)\b[^:\n]{0,60}:?", re.IGNORECASE)


@dataclass(frozen=True)
class Guidance:
    """What a prompt asks for beyond the task itself."""

    warned: frozenset[Fault]
    first: frozenset[str]  # concepts of the fields to look for first
    remarks: str

    def asks_for(self, name: str) -> bool:
        return concept(name) in self.first

    def remarks_on(self, fault: Fault, name: str) -> bool:
        """Whether feedback or a note names this field, or this kind of mistake."""
        return mentions(self.remarks, name) or bool(REMARKS[fault].search(self.remarks))


def guidance(prompt: Prompt) -> Guidance:
    words = QUOTE.sub("", prompt.instructions)
    warned = frozenset(fault for fault, pattern in TELLING.items() if pattern.search(words))
    return Guidance(warned, frozenset(_first(prompt.instructions)), prompt.feedback)


def mentions(text: str, name: str) -> bool:
    """Whether the text has the name, or another name of the same field, as whole words."""
    if not text:
        return False
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", fold(text)) for one in _names(name) if len(one) > 2)


def _names(name: str) -> set[str]:
    key = concept(name)
    others = vocabulary.SPECIFICATIONS.get(key) or vocabulary.DIMENSIONS.get(key) or ()
    return {fold(name), fold(key), *map(fold, others)}


def _first(instructions: str) -> set[str]:
    """The fields named behind "look for these first": a quotation, or the rest of the line."""
    found: set[str] = set()
    for match in FIRST.finditer(instructions):
        rest = instructions[match.end() :].lstrip()
        quote = QUOTE.match(rest)
        listed = quote["text"] if quote else rest.split("\n", 1)[0].split(". ", 1)[0]
        found |= {concept(name.strip(" -*•\"'“”„.")) for name in re.split(r"[\n,;]", listed)}
    if "dimensions" in found:
        found |= set(vocabulary.DIMENSIONS)
    return found - {""}
