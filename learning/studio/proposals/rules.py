"""When a base prompt should say something itself: three rules over what reviewers said lately. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from learning.influence import Line
from learning.models import Proposal
from learning.names import key_of, spelling
from learning.triggers import MISSING_SPEC, THRESHOLDS, decide
from learning.window import Window, WindowRun

# A trigger that is on over two whole windows is no matter of one window's luck: at 10% of errors three of ten are
# raised in 7% of windows, and in both of two that share no run in 0.5%.
LONG = 20
# As many of ten as most triggers take: what comes back so often in spite of its guidance would fire unguided, too.
AGAIN, OF = 3, 10
LONGEST_KEY = 80  # characters of a field's key that tell it from others
MISSING = "missing_spec"
Cause = Proposal.Cause


class Subject(NamedTuple):
    """What a proposal is about: one signal at one stage; of missing fields, one field."""

    stage: str
    signal: str
    field: str = ""  # folded


@dataclass(frozen=True)
class Reviewed:
    """A reviewed run. said: of each review that counts, the round it speaks of and its time. sent: guidance key →
    the first round whose prompts held it; asked: the same by the key of a missing field."""

    run: WindowRun
    said: Mapping[int, tuple[int, datetime]] = field(default_factory=dict)
    sent: Mapping[str, int] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Lately:
    """The runs of one subcategory that people reviewed last, oldest first, and what they are read by."""

    subcategory_id: int
    runs: tuple[Reviewed, ...]
    read_by: Window = field(default_factory=Window)


@dataclass(frozen=True)
class Case:
    """One subcategory that shows it. cells: the runs that were counted, oldest first, and whether each raised it.

    threshold: how many of them it takes; 0 where every window had to be on.
    """

    subject: Subject
    name: str  # of the field, as reviewers spell it
    cause: Proposal.Cause
    subcategory_id: int
    threshold: int
    cells: tuple[tuple[str, bool], ...]
    events: tuple[int, ...]

    @property
    def count(self) -> int:
        return sum(raised for _run, raised in self.cells)

    def as_json(self) -> dict[str, object]:
        """One of `Proposal.figures`."""
        return {
            "subcategory": self.subcategory_id,
            "count": self.count,
            "of": len(self.cells),
            "threshold": self.threshold,
            "cells": [list(cell) for cell in self.cells],
        }


Homes = Mapping[str, Line]  # signal → the line whose stage shall say it
Since = Mapping[Subject, datetime]  # what was decided then; only what came afterwards counts


def homes(table: Iterable[Line], judging: frozenset[str] = frozenset()) -> dict[str, Line]:
    """Of each signal that has a trigger, the flow's first line on it; one to a stage that makes before one that
    judges: a mistake is best not made."""
    found: dict[str, Line] = {}
    for line in sorted(table, key=lambda line: line.stage in judging):  # stable: else the order of the map
        if line.trigger in THRESHOLDS:
            found.setdefault(THRESHOLDS[line.trigger][0], line)
    return found


def cases(lately: Lately, known: Homes, since: Since) -> dict[Subject, Case]:
    """What this subcategory shows, each once. That guidance did not help says more than that it had no end."""
    found: dict[Subject, Case] = {}
    for rule in (came_back, still_missing, stayed_on):
        for case in rule(lately, known, since):
            found.setdefault(case.subject, case)
    return found


def came_back(lately: Lately, known: Homes, since: Since) -> Iterable[Case]:
    """Of the last ten runs whose prompts held a signal's guidance, three or more raised it again."""
    for signal, line in known.items():
        if signal == MISSING:
            continue
        subject = Subject(line.stage, signal)
        sent = {id(seen): seen.sent[line.key] for seen in lately.runs if line.key in seen.sent}
        yield from _again(lately, subject, Cause.CAME_BACK, sent, since)


def still_missing(lately: Lately, known: Homes, since: Since) -> Iterable[Case]:
    """Of the last ten runs that were asked for a field, three or more were found to lack it again."""
    if MISSING not in known:
        return
    for key in dict.fromkeys(key for seen in lately.runs for key in seen.asked):
        asked = {id(seen): seen.asked[key] for seen in lately.runs if key in seen.asked}
        subject = Subject(known[MISSING].stage, MISSING, key)
        yield from _again(lately, subject, Cause.STILL_MISSING, asked, since)


def _again(
    lately: Lately, subject: Subject, cause: Proposal.Cause, told: Mapping[int, int], since: Since
) -> Iterable[Case]:
    """told: runs that were told, by `id`, with the first round that was. What reviews say of earlier rounds does
    not count."""
    after = since.get(subject)
    judged = [
        seen
        for seen in lately.runs
        if id(seen) in told and any(round >= told[id(seen)] for round, _at in seen.said.values())
    ][-OF:]
    events: list[int] = []
    cells: list[tuple[str, bool]] = []
    for seen in judged:
        again = [
            event
            for event in raised_by(seen.run, subject)
            if (said := seen.said.get(event)) and said[0] >= told[id(seen)] and (after is None or said[1] > after)
        ]
        events += again
        cells.append((str(seen.run.run_id), bool(again)))
    case = _case(lately, subject, cause, AGAIN, cells, events)
    if case.count >= AGAIN:
        yield case


def stayed_on(lately: Lately, known: Homes, since: Since) -> Iterable[Case]:
    """A trigger, or one missing field of it, was on after each of the last twenty reviewed runs."""
    for signal, key in _on(lately, [seen.run for seen in lately.runs]):
        if signal not in known:
            continue
        subject = Subject(known[signal].stage, signal, key)
        after = since.get(subject)
        runs = [seen.run for seen in lately.runs if after is None or _only_after(seen, after)]
        ends = range(len(runs) - LONG + 1, len(runs) + 1)
        if len(runs) < LONG or not all((signal, key) in _on(lately, runs[:end]) for end in ends):
            continue
        last = runs[-LONG:]
        cells = [(str(run.run_id), bool(raised_by(run, subject))) for run in last]
        events = [event for run in last for event in raised_by(run, subject)]
        if not events:  # its guidance works, and is needed all the same
            events = [event for run in (*_older(lately), *runs) for event in raised_by(run, subject)]
        yield _case(lately, subject, Cause.STAYED_ON, 0, cells, events)


def _only_after(seen: Reviewed, after: datetime) -> bool:
    return all(at > after for _round, at in seen.said.values())


def _older(lately: Lately) -> list[WindowRun]:
    """Runs that the policy looks at beyond those that are gone through here."""
    newest = {seen.run.run_id for seen in lately.runs}
    return [run for run in lately.read_by.past if run.run_id not in newest]


def _on(lately: Lately, runs: list[WindowRun]) -> set[tuple[str, str]]:
    """The signals whose triggers are on after these runs, and each field that is missing often enough."""
    triggers = decide(lately.read_by.over([*_older(lately), *runs]))
    names = {(MISSING, _key(missed.name, lately)) for missed in triggers[MISSING_SPEC].fields if missed.fired}
    return names | {(triggers[name].flag, "") for name in triggers.fired if name != MISSING_SPEC}


def raised_by(run: WindowRun, subject: Subject) -> tuple[int, ...]:
    """The reviews of the run that raised it."""
    if subject.signal != MISSING:
        return run.evidence.get(subject.signal, ())
    return tuple(
        event for missed in run.missing if missed.key[:LONGEST_KEY] == subject.field for event in missed.evidence
    )


def _key(name: str, lately: Lately) -> str:
    return key_of(name, lately.read_by.synonyms)[:LONGEST_KEY]


def _case(
    lately: Lately,
    subject: Subject,
    cause: Proposal.Cause,
    threshold: int,
    cells: list[tuple[str, bool]],
    events: list[int],
) -> Case:
    written = [
        name
        for seen in lately.runs
        for missed in seen.run.missing
        if subject.field and missed.key[:LONGEST_KEY] == subject.field
        for name in missed.names
    ]
    name = spelling(subject.field, lately.read_by.synonyms, written) if written else subject.field
    return Case(subject, name, cause, lately.subcategory_id, threshold, tuple(cells), tuple(sorted(set(events))))


@dataclass(frozen=True)
class Finding:
    """What one or several subcategories of a flow show, the one with most evidence first."""

    flow: str
    cases: tuple[Case, ...]

    @property
    def subject(self) -> Subject:
        return self.cases[0].subject

    @property
    def name(self) -> str:
        return self.cases[0].name

    @property
    def cause(self) -> Proposal.Cause:
        return self.cases[0].cause

    @property
    def subcategory_id(self) -> int | None:
        """None where several show the same."""
        return self.cases[0].subcategory_id if len(self.cases) == 1 else None

    @property
    def events(self) -> list[int]:
        return sorted({event for case in self.cases for event in case.events})


def findings(flow: str, found: Iterable[Mapping[Subject, Case]]) -> list[Finding]:
    """The cases of all subcategories of a flow, those of one subject and cause together.

    Subcategories that show it by another cause stay with the strongest one's, for the prompt is one.
    """
    together: dict[Subject, list[Case]] = {}
    for cases in found:
        for subject, case in cases.items():
            together.setdefault(subject, []).append(case)
    return [Finding(flow, tuple(sorted(cases, key=_strength))) for _subject, cases in sorted(together.items())]


def _strength(case: Case) -> tuple[int, int]:
    return list(Cause).index(case.cause), -len(case.events)
