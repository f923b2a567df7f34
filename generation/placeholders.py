"""Placeholders of the form `<<NAME>>`: which there are, what is wrong with a text, and one pass to fill it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from generation.errors import BadInput, FieldProblem
from generation.flows import flow as flow_named
from generation.guidance import Fragment

GENERAL = ("RECORD_SCHEMA", "SOURCE", "SUBCATEGORY", "CATEGORIES", "DRAFT", "FEEDBACK", "EXAMPLE_ITEM")
PLACEHOLDER = re.compile(r"(?<!<)<<([A-Z][A-Z0-9_]*)>>(?!>)")
# What looks like one: two opening signs, or a name in capitals before two closing ones.
SUSPECT = re.compile(r"<<+[^<>\n]{0,60}>*|<?\b[A-Z][A-Z0-9_]{2,}>>+")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")


@dataclass(frozen=True)
class Segment:
    """A stretch of a prompt: the template's own text, or what was filled into a placeholder."""

    text: str
    placeholder: str = ""
    fragment: Fragment | None = None


@dataclass(frozen=True)
class Fault:
    """A placeholder that is none. line and column count from 1; start: characters before it in the text."""

    kind: Literal["malformed", "unknown"]
    whole: str
    line: int
    column: int
    start: int
    meant: str = ""  # the name that it is nearest to; empty where there is none

    @property
    def detail(self) -> str:
        wrong, hint = f"{self.kind} placeholder {self.whole} at line {self.line}, column {self.column}", ""
        if self.kind == "malformed":
            wrong += ": write <<NAME>>"
        if self.meant:
            hint = f"; did you mean <<{self.meant}>>?"
        return wrong + hint


def own(stage: str) -> str:
    """The placeholder that carries a stage's guidance."""
    return f"{stage.upper()}_REVIEW"


def known(flow: str, stage: str) -> tuple[str, ...]:
    """The names that a prompt of this stage may hold."""
    if stage not in flow_named(flow).stages:
        raise BadInput.at("/stage", f"the flow {flow} has no stage {stage!r}")
    return (*GENERAL, own(stage))


def check(flow: str, stage: str, text: str, field: str) -> list[FieldProblem]:
    """What is wrong with the placeholders of a prompt's text, each named with line and column."""
    return [FieldProblem(field, fault.detail) for fault in faults(flow, stage, text)]


def missing(flow: str, stage: str, *texts: str) -> list[str]:
    """The placeholders that this stage cannot do without and that stand in none of the texts."""
    there = {name for text in texts for name in PLACEHOLDER.findall(text)}
    return [name for name in flow_named(flow).stages[stage].required if name not in there]


def faults(flow: str, stage: str, text: str) -> Iterator[Fault]:
    """What looks like a placeholder of this stage and is none, in the text's order."""
    return faults_among(known(flow, stage), text)


def faults_among(names: tuple[str, ...], text: str) -> Iterator[Fault]:
    """What looks like a placeholder and has none of these names."""
    good = {found.start(): found for found in PLACEHOLDER.finditer(text)}
    for found in SUSPECT.finditer(text):
        whole, start = found.group(), found.start()
        right = good.get(start)
        if right is None:
            yield Fault("malformed", whole, *place_of(text, start), start, _meant(whole, names))
        elif right.group(1) not in names:
            whole = right.group()
            yield Fault("unknown", whole, *place_of(text, start), start, _meant(whole, names))


def _meant(text: str, names: tuple[str, ...]) -> str:
    found = NAME.search(text)
    if found is None:
        return ""
    name = re.sub(r"[ -]+", "_", found.group().strip()).upper()
    return next(iter(get_close_matches(name, names, n=1, cutoff=0.6)), "")


def place_of(text: str, position: int) -> tuple[int, int]:
    """Line and column, from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def fill(template: str, values: Mapping[str, list[Segment]]) -> list[Segment]:
    """The template with its placeholders filled, in one pass: what is filled in is never looked at again.

    A placeholder whose value is empty leaves one empty segment behind, so that its place is known.
    """
    segments: list[Segment] = []
    end = 0
    for found in PLACEHOLDER.finditer(template):
        name = found.group(1)
        if name not in values:
            raise BadInput.at("/prompt", f"unknown placeholder <<{name}>>")
        if found.start() > end:
            segments.append(Segment(template[end : found.start()]))
        filled = [replace(segment, placeholder=name) for segment in values[name] if segment.text]
        segments.extend(filled or [Segment("", name)])
        end = found.end()
    if end < len(template):
        segments.append(Segment(template[end:]))
    return segments


def text_of(segments: list[Segment]) -> str:
    return "".join(segment.text for segment in segments)
