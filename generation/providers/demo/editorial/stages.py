"""The stages: a page with the mistakes that nothing prevents, its names, and a judge that sees some of them."""

import json
import re
from collections.abc import Iterable
from typing import Any

from generation.flows.editorial.names import holds, text_of
from generation.providers.demo.compare import Difference
from generation.providers.demo.editorial.compare import differences, names_beyond
from generation.providers.demo.editorial.mistakes import faults_for, left_out, make_mistakes, written
from generation.providers.demo.editorial.topics import topics_of
from generation.providers.demo.faults import (
    CATCH_RATE,
    CURE_RATES,
    GUIDED_CATCH_RATE,
    REMARK_CURE_RATE,
    Fault,
    falls,
)
from generation.providers.demo.follow import Guidance, guidance, mentions
from generation.providers.demo.prompt import Prompt

# What judges, counting and people write about a page: fault → words that speak of it.
REMARKS = {
    Fault.UNIT_SLIP: re.compile(
        r"\b(?:figures?|prices?|numbers?|years?|units?|sizes?|preise?|zahl(?:en)?)\b", re.I
    ),
    Fault.WRONG_INFORMATION: re.compile(r"\b(?:invented|made up|wrong|false|no topic|erfunden|falsch)\b", re.I),
    Fault.LOOSE_FORM: re.compile(r"\b(?:format|form|schema|marks of layout|layout)\b", re.I),
    Fault.MISSING: re.compile(r"\b(?:missing|lacks|there are no|is named|fehlt|fehlen)\b", re.I),
    Fault.GIVING_UP: re.compile(r"\b(?:incomplete|too little|passed over|paragraphs with words|zu wenig)\b", re.I),
}
ATTEMPT = re.compile(r"^(?:The last|An earlier) attempt", re.MULTILINE)
# Fault → the criterion that it fails, and how gravely.
CRITERIA: dict[Fault, tuple[str, str]] = {
    Fault.WRONG_INFORMATION: ("hallucination", "critical"),
    Fault.UNIT_SLIP: ("fact_accuracy", "major"),
    Fault.LOOSE_FORM: ("content_completeness", "minor"),
    Fault.MISSING: ("content_completeness", "major"),
    Fault.GIVING_UP: ("content_completeness", "major"),
}


def write(prompt: Prompt) -> str:
    """A page with the faults that neither guidance nor remarks prevent; of a draft that a person sent back, those
    that are in it."""
    told, source = guidance(prompt), prompt.source
    if prompt.draft is None:
        faults: Iterable[Fault] = faults_for(source, prompt.subcategory)
    else:
        faults = {found.fault for found in differences(prompt.draft, source)}
    left = frozenset(fault for fault in faults if not _prevented(fault, told, prompt))
    return written(make_mistakes(source, left), source, loose=Fault.LOOSE_FORM in left)


def enrich(prompt: Prompt) -> str:
    """The names that the topics list, and full names that no topic has."""
    text = text_of(prompt.draft or {})
    found: dict[str, dict[str, Any]] = {}
    for topic in topics_of(prompt.source):
        for kind, names in (("person", topic.people), ("brand", topic.brands)):
            for name in names:
                if holds(text, name):
                    found.setdefault(name, {"name": name, "kind": kind, "topic": topic.number})
    for name in names_beyond(prompt.draft or {}, prompt.source):
        found.setdefault(name, {"name": name, "kind": "person", "topic": None})
    return json.dumps({"mentions": list(found.values())}, ensure_ascii=False)


def judge(prompt: Prompt) -> str:
    """All criteria, failed by the mistakes that it happens to see."""
    warned = guidance(prompt).warned
    seen = [found for found in differences(prompt.draft or {}, prompt.source) if _sees(found, warned, prompt)]
    names = ("hallucination", "fact_accuracy", "content_completeness")
    return json.dumps({"criteria": [_criterion(name, seen) for name in names]}, ensure_ascii=False)


def _criterion(name: str, seen: list[Difference]) -> dict[str, Any]:
    failing = [found for found in seen if CRITERIA[found.fault][0] == name]
    if not failing:
        return {"criterion": name, "reason": "", "field": "", "severity": None, "passed": True}
    severity = min((CRITERIA[found.fault][1] for found in failing), key=("critical", "major", "minor").index)
    return {
        "criterion": name,
        "reason": " ".join(dict.fromkeys(found.reason[:1].upper() + found.reason[1:] for found in failing)),
        "field": next((found.field for found in failing if found.field.startswith("/")), ""),
        "severity": severity,
        "passed": False,
    }


def _sees(found: Difference, warned: frozenset[Fault], prompt: Prompt) -> bool:
    rate = GUIDED_CATCH_RATE if found.fault in warned else CATCH_RATE
    return falls(rate, prompt.source, "judge", found.fault, json.dumps(prompt.draft, sort_keys=True))


def _prevented(fault: Fault, told: Guidance, prompt: Prompt) -> bool:
    """By a warning, by its part being asked for, or by a remark on it; each attempt that was told tries anew."""
    asked = fault == Fault.MISSING and told.asks_for(left_out(prompt.source))
    if (fault in told.warned or asked) and _falls(CURE_RATES[fault], prompt, fault, "warned"):
        return True
    if not _remarked(fault, told.remarks, prompt):
        return False
    tries = max(1, len(ATTEMPT.findall(told.remarks)))
    return any(_falls(REMARK_CURE_RATE, prompt, fault, str(number)) for number in range(tries))


def _remarked(fault: Fault, remarks: str, prompt: Prompt) -> bool:
    named = fault == Fault.MISSING and mentions(remarks, left_out(prompt.source))
    return named or bool(REMARKS[fault].search(remarks))


def _falls(rate: float, prompt: Prompt, fault: Fault, what: str) -> bool:
    return falls(rate, prompt.source, "editorial", "cure", fault, what)
