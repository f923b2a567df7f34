"""Prompts as files that a team can keep in git: one each, a JSON head between `---` lines, then its two texts.

    ---
    {
      "flow": "item",
      "stage": "extraction",
      "version": 3,
      "model": "",
      "parameters": {},
      "note": "why it is so"
    }
    ---
    # system
    …
    # user
    …

`version` says which one the file was made of; what counts is what the file says. A line of a text that reads as
one of the two headings stands behind a backslash.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt, PromptVersion
from generation.placeholders import check, missing

FENCE = "---"
HEADING = re.compile(r"^\\*# (?:system|user)$", re.MULTILINE)
ESCAPED = re.compile(r"^\\(\\*# (?:system|user))$", re.MULTILINE)
KEYS: dict[str, type] = {
    "flow": str,
    "stage": str,
    "version": int,
    "model": str,
    "parameters": dict,
    "note": str,
}
REQUIRED = ("flow", "stage")
LONGEST = {"model": 100, "note": 300}  # characters, as the columns


class BrokenFile(Exception):
    """A file that says no prompt; the text names it with its line."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}, line {line}: {problem}")


@dataclass(frozen=True)
class Wording:
    """What a file or a version says. version: the number that it was made of, 0 where it says none."""

    flow: str
    stage: str
    system: str
    user: str
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    version: int = 0

    @property
    def says(self) -> tuple[object, ...]:
        """What makes it another version."""
        return self.system, self.user, self.model, json.dumps(self.parameters, sort_keys=True)

    @property
    def name(self) -> Path:
        return Path(self.flow) / f"{self.stage}.md"


def wording_of(version: PromptVersion) -> Wording:
    """Line ends as files keep them."""
    return Wording(
        flow=version.prompt.flow,
        stage=version.prompt.stage,
        system=version.system.replace("\r\n", "\n"),
        user=version.user.replace("\r\n", "\n"),
        model=version.model,
        parameters=version.parameters,
        note=version.note,
        version=version.number,
    )


def text_of(wording: Wording) -> str:
    """The file."""
    head = {name: getattr(wording, name) for name in KEYS}
    parts = (
        FENCE,
        json.dumps(head, ensure_ascii=False, indent=2),
        FENCE,
        "# system",
        HEADING.sub(r"\\\g<0>", wording.system),
        "# user",
        HEADING.sub(r"\\\g<0>", wording.user),
    )
    return "\n".join(parts) + "\n"


def read(path: Path, shown: Path) -> Wording:
    """The wording of a file. shown: its path as people are told it. Raises BrokenFile."""
    try:
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BrokenFile(shown, path.read_bytes()[: error.start].count(b"\n") + 1, "this is not UTF-8") from None
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise BrokenFile(shown, 1, f"a prompt's file begins with a line {FENCE}")
    if FENCE not in lines[1:]:
        raise BrokenFile(shown, len(lines), f"the head has no end: a line {FENCE}")
    end = lines.index(FENCE, 1)
    head = _head(shown, lines[1:end])
    system, user, user_line = _texts(shown, lines, end + 1)
    _check(shown, head, system, end + 3, user, user_line)
    return Wording(system=system, user=user, **head)


def _head(path: Path, lines: list[str]) -> dict[str, Any]:
    try:
        head = json.loads("\n".join(lines), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise BrokenFile(path, error.lineno + 1, f"the head is no JSON: {error.msg}") from None
    except Twice as error:
        raise BrokenFile(path, _line_of(lines, str(error)), f"{error} stands there twice") from None
    if not isinstance(head, dict):
        raise BrokenFile(path, 2, "the head is no JSON object")
    for name, value in head.items():
        line = _line_of(lines, name)
        if name not in KEYS:
            raise BrokenFile(path, line, f"unknown: {name}; known: {', '.join(KEYS)}")
        if not isinstance(value, KEYS[name]) or isinstance(value, bool):
            raise BrokenFile(path, line, f"{name} has the wrong type")
        if name in LONGEST and len(str(value)) > LONGEST[name]:
            raise BrokenFile(path, line, f"{name} is longer than {LONGEST[name]} characters")
        if "\\u0000" in json.dumps(value):
            raise BrokenFile(path, line, f"{name} holds a character that cannot be kept")
    for name in REQUIRED:
        if name not in head:
            raise BrokenFile(path, 2, f"{name} is missing")
    if head["flow"] not in FLOWS:
        raise BrokenFile(path, _line_of(lines, "flow"), f"there is no flow {head['flow']!r}")
    if head["stage"] not in flow_named(head["flow"]).stages:
        known = ", ".join(flow_named(head["flow"]).stages)
        problem = f"the flow {head['flow']} has no stage {head['stage']!r}; known: {known}"
        raise BrokenFile(path, _line_of(lines, "stage"), problem)
    return head


class Twice(Exception):
    """A name that stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Twice(name)
        found[name] = value
    return found


def _line_of(lines: list[str], name: str) -> int:
    """The file's line in which the head names something, the last of them."""
    found = [number for number, line in enumerate(lines, start=2) if json.dumps(name, ensure_ascii=False) in line]
    return found[-1] if found else 2


def _texts(path: Path, lines: list[str], at: int) -> tuple[str, str, int]:
    """System and user, and the file's line in which the latter begins."""
    if at >= len(lines) or lines[at] != "# system":
        raise BrokenFile(path, at + 1, "after the head comes a line # system")
    rest = lines[at + 1 :]
    if "# user" not in rest:
        raise BrokenFile(path, len(lines), "a line # user is missing")
    cut = rest.index("# user")
    user = rest[cut + 1 :]
    for heading in ("# system", "# user"):
        places = [at + 2 + n for n, line in enumerate(rest) if line == heading and n != cut]
        if places:
            raise BrokenFile(path, places[0], f"a second line {heading}: put a backslash before it, if it is text")
    if user and user[-1] == "":
        user = user[:-1]  # the line end that closes the file
    return _plain(rest[:cut]), _plain(user), at + cut + 3


def _plain(lines: list[str]) -> str:
    return ESCAPED.sub(r"\1", "\n".join(lines))


def _check(path: Path, head: Mapping[str, Any], system: str, system_line: int, user: str, user_line: int) -> None:
    """Placeholders, by the rule of all versions; its lines are the file's."""
    flow, stage = head["flow"], head["stage"]
    for text, line in ((system, system_line), (user, user_line)):
        if "\0" in text:
            at = line + text[: text.index("\0")].count("\n")
            raise BrokenFile(path, at, "a character that cannot be kept")
        for problem in check(flow, stage, "\n" * (line - 1) + text, ""):
            raise BrokenFile(path, _told_line(problem.detail, line), problem.detail)
    if not user.strip():
        raise BrokenFile(path, user_line, "the user prompt is empty")
    for name in missing(flow, stage, user):
        raise BrokenFile(path, user_line, f"<<{name}>> is missing: the stage {stage} cannot do without it")


def _told_line(detail: str, otherwise: int) -> int:
    found = re.search(r" at line (\d+), column ", detail)
    return int(found[1]) if found else otherwise


def read_all(folder: Path) -> list[Wording]:
    """Every `*.md` below the folder, each prompt once. Raises BrokenFile, or several of them together."""
    found: dict[tuple[str, str], Path] = {}
    wordings: list[Wording] = []
    broken: list[BrokenFile] = []
    for path in sorted(folder.rglob("*.md")):
        shown = path.relative_to(folder)
        try:
            wording = read(path, shown)
            first = found.setdefault((wording.flow, wording.stage), shown)
            if first != shown:
                raise BrokenFile(shown, 1, f"{wording.flow} / {wording.stage} stands in {first} already")
        except BrokenFile as error:
            broken.append(error)
        else:
            wordings.append(wording)
    if broken:
        raise ExceptionGroup("broken files", broken)
    return wordings


def exported(prompts: Iterable[Prompt]) -> Iterator[Wording]:
    """What is live of each."""
    for prompt in prompts:
        if prompt.live is not None:
            yield wording_of(prompt.live)
