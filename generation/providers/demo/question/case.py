"""A teaching case, read from a source by rules: the patient, the answer, and what it must be told apart from.

Material is read line by line: "Patient: …", "Vital signs: …", "Asked: …", and "Name: finding; finding" for each
thing that the answer could be. Material without four of those gives a case of generalities.
"""

import re
from dataclasses import dataclass
from typing import Any

from generation.providers.demo.faults import coin

LETTERS = "ABCDE"
MOST = 5  # options
LINE = re.compile(r"^(?P<name>[^:;]{2,80}):\s+(?P<rest>\S.*)$")
OBJECTIVE, LEVEL = "Learning objective", "Level of Bloom's taxonomy"
PATIENT, SIGNS, ASKED = "Patient", "Vital signs", "Asked"
DIAGNOSIS = "Which of the following is the most likely diagnosis?"
NEXT_STEP = "Which of the following is the best next step?"
Record = dict[str, Any]


@dataclass(frozen=True)
class Candidate:
    """What the answer could be, and the findings that speak for it."""

    name: str
    findings: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    text: str  # the whole source: what decides its fate
    patient: str
    signs: str
    asked: str
    answer: Candidate
    others: tuple[Candidate, ...]

    @property
    def candidates(self) -> list[Candidate]:
        """The answer and the first others, in the order of the options."""
        listed = list(self.others[: MOST - 1])
        listed.insert(int(coin(self.text, "place") * (len(listed) + 1)), self.answer)
        return listed


def case(source: str) -> Case:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    topic = lines[0] if lines else "this topic"
    told: dict[str, str] = {}
    candidates: list[Candidate] = []
    for found in filter(None, map(LINE.match, lines[1:])):
        findings = tuple(part.strip(" .") for part in found["rest"].split(";") if part.strip(" ."))
        if found["name"] in (OBJECTIVE, LEVEL, PATIENT, SIGNS, ASKED):
            told.setdefault(found["name"], found["rest"])
        elif len(findings) > 1 and found["name"].casefold() not in {one.name.casefold() for one in candidates}:
            candidates.append(Candidate(found["name"], findings))
    if len(candidates) < 4:
        return _general(source, topic, lines[1:])
    spoken = f"{topic}\n{told.get(OBJECTIVE, '')}".casefold()
    answer = next((one for one in candidates if one.name.casefold() in spoken), candidates[0])
    return Case(
        source,
        told.get(PATIENT, "A 48-year-old patient comes to the emergency department."),
        told.get(SIGNS, ""),
        told.get(ASKED, DIAGNOSIS),
        answer,
        tuple(one for one in candidates if one != answer),
    )


GENERAL = (
    ("An assessment by history, examination and first tests", "findings that call for it", "time to do it"),
    ("Treatment without an assessment", "a life in danger at once", "no time for any test"),
    ("Waiting for a year", "no complaint at all", "normal findings"),
    ("An operation today", "a surgical emergency", "a confirmed diagnosis"),
)


def _general(source: str, topic: str, lines: list[str]) -> Case:
    about = " ".join(line for line in lines if not LINE.match(line))[:400]
    candidates = [Candidate(name, (first, second)) for name, first, second in GENERAL]
    patient = f"A 48-year-old patient is seen because of {topic[:200]}. {about}".strip()
    return Case(source, patient, "", NEXT_STEP, candidates[0], tuple(candidates[1:]))


def clean_question(given: Case) -> Record:
    """The question without any mistake."""
    listed = given.candidates
    options = [_option(one, one == given.answer) for one in listed]
    return {
        "vignette": " ".join(filter(None, (given.patient, shown(given.answer.findings), ended(given.signs)))),
        "stem": given.asked,
        "options": options,
        "key": LETTERS[listed.index(given.answer)],
        "explanation": f"{given.answer.name}: the case has {joined(given.answer.findings)}, as is typical of it.",
    }


def _option(one: Candidate, correct: bool) -> Record:
    why = f"It fits: {one.findings[0]}." if correct else f"It would come with {joined(one.findings[:2])}."
    return {"text": one.name, "correct": correct, "explanation": why}


def shown(findings: tuple[str, ...]) -> str:
    return f"The assessment shows {joined(findings)}."


def joined(findings: tuple[str, ...]) -> str:
    return findings[0] if len(findings) == 1 else f"{', '.join(findings[:-1])} and {findings[-1]}"


def ended(text: str) -> str:
    """A sentence of it; empty where there is none."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""
