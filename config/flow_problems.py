"""What is wrong with a flow from elsewhere: told at the start, before a run or a reviewer meets it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any

from django.utils.module_loading import import_string
from pydantic import ValidationError

from generation.flows.base import Flow, Stage
from generation.placeholders import GENERAL, PLACEHOLDER, faults_among, own
from learning.influence import Line
from learning.resolver import LABELS
from learning.triggers import THRESHOLDS
from review.models.signals import SIGNALS
from review.words import WORDS

LONGEST = 40  # characters of a name, as the columns
STAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")  # with `_REVIEW` after it the name of a placeholder
SPOKEN = (*SIGNALS, "missing_spec", "notes", "subcategory")  # what a review says and a line may answer


def problems(name: str, path: str) -> list[str]:
    """What keeps the flow at this dotted path from working under this name."""
    try:
        found = import_string(path)
    except Exception as error:  # their code may raise anything, and all of it is what is wrong with it
        return [_told(error, path)]
    if not isinstance(found, Flow):
        return ["this is no Flow"]
    own_name = [] if found.name == name else [f"its own name is {found.name}"]
    return [*own_name, *lacks(found)]


def lacks(flow: Flow) -> Iterator[str]:
    """Names, prompts, example, lines and words without which runs fail or reviews say nothing."""
    if not 0 < len(flow.name) <= LONGEST:
        yield f"its name has not 1 to {LONGEST} characters"
    for key, stage in flow.stages.items():
        yield from _of_stage(flow, key, stage)
    try:
        json.loads((flow.folder / "example.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield f"example.json cannot be read: {error}"
    yield from _of_lines(flow)
    for signal, said in flow.words.items():
        if signal not in WORDS["item"]:
            yield f"words name the signal {signal}, which there is not; known: {', '.join(WORDS['item'])}"
        elif not isinstance(said, tuple) or len(said) != 2:
            yield f"words of {signal} are no pair: what the form calls it, what it asks"


def doubts(flow: Flow) -> Iterator[str]:
    """What works, and is hardly meant."""
    lines, _ = _lines(flow)
    for stage in dict.fromkeys(line.stage for line in lines if line.stage in flow.stages):
        if own(stage) not in PLACEHOLDER.findall(_prompt(flow, stage)):
            yield f"prompts/{stage}.md has no <<{own(stage)}>>: what reviews say to this stage is not sent"
    try:
        flow.record.model_validate_json((flow.folder / "example.json").read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        yield f"example.json is no record: {_first(error)}"
    known = flow.record.model_json_schema().get("properties", {})
    for setting in ("sourced", "correctable"):
        for pointer in getattr(flow, setting):
            top = pointer.split("/")[1] if pointer.startswith("/") else pointer
            if known and top not in known and not set(top) & set("*?["):
                yield f"{setting} names {pointer}, which no record has"


def _of_stage(flow: Flow, key: str, stage: Stage) -> Iterator[str]:
    if stage.name != key:
        yield f"the stage {key} calls itself {stage.name}"
    if not STAGE.fullmatch(key) or len(key) > LONGEST:
        yield f"the stage {key!r} is not named with a letter first, then letters, digits and _, {LONGEST} at most"
    file, text = f"prompts/{key}.md", _prompt(flow, key)
    if not (flow.folder / file).is_file():
        yield f"the stage {key} has no {file}"
        return
    head, heading, user = text.partition("\n# user\n")
    if head.partition("\n")[0] != "# system" or not heading or not user.strip():
        yield f"{file} is not a line `# system` with a text, then a line `# user` with one"
    yield from (f"{file}: {fault.detail}" for fault in faults_among((*GENERAL, own(key)), text))
    there = PLACEHOLDER.findall(user)
    yield from (
        f"{file} lacks <<{name}>>, which the stage requires" for name in stage.required if name not in there
    )


def _of_lines(flow: Flow) -> Iterator[str]:
    lines, wrong = _lines(flow)
    if wrong:
        yield f"influence: {wrong}"
    keys: set[str] = set()
    for line in lines:
        here = f"{flow.influence}, the line {line.key}"
        if line.key in keys:
            yield f"{here}: there are two; give one a name"
        keys.add(line.key)
        if line.stage not in flow.stages:
            yield f"{here}: the flow has no stage {line.stage}"
        if line.signal not in SPOKEN:
            yield f"{here}: there is no signal {line.signal}; known: {', '.join(SPOKEN)}"
        if line.trigger and line.trigger not in THRESHOLDS:
            yield f"{here}: there is no trigger {line.trigger}; known: {', '.join(THRESHOLDS)}"
        if line.fills and line.fills not in LABELS:
            yield f"{here}: nothing fills {line.fills}; known: {', '.join(LABELS)}"
        for place in LABELS:
            if f"{{{place}}}" in line.text and line.fills != place:
                yield f'{here}: its text has {{{place}}} without fills="{place}"'


def _lines(flow: Flow) -> tuple[list[Line], str]:
    """The flow's lines, and why they cannot be read."""
    try:
        found: Any = import_string(flow.influence) if flow.influence else ()
    except Exception as error:  # likewise
        return [], _told(error, flow.influence)
    if not isinstance(found, tuple | list) or not all(isinstance(line, Line) for line in found):
        return [], f"{flow.influence} is no tuple of lines (learning.influence.Line)"
    return list(found), ""


def _prompt(flow: Flow, stage: str) -> str:
    """The text of a stage's file; empty where there is none that can be read."""
    try:
        return (flow.folder / "prompts" / f"{stage}.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _told(error: Exception, path: str) -> str:
    """What went wrong while their code was imported, and where in their package."""
    if isinstance(error, ImportError | SyntaxError):
        return str(error)
    frames, package = extract_tb(error.__traceback__), path.partition(".")[0]
    theirs = [frame for frame in frames if package in Path(frame.filename).with_suffix("").parts]
    last = (theirs or frames)[-1]
    return f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"


def _first(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return str(error)
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"/{'/'.join(map(str, found['loc']))}: {found['msg']}"
