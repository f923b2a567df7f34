"""A git diff as pages show it: a section per file, hunks with the numbers of both sides."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from generation.flows.change.shown import seen

MOST_LINES = 2000  # on a page; the whole diff is in the record
FOLDED_FROM = 300  # lines of one file
LAST_LINES = 10  # of an output: what an agent says of its tests stands at its end
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
KINDS: dict[str, Literal["same", "removed", "added"]] = {" ": "same", "": "same", "-": "removed", "+": "added"}


@dataclass(frozen=True)
class DiffLine:
    """One line. "gap" says what stands between hunks, or that something was left out."""

    kind: Literal["same", "removed", "added", "gap"]
    old: int | None
    new: int | None
    text: str

    @property
    def sign(self) -> str:
        return {"added": "+", "removed": "−"}.get(self.kind, "")


@dataclass
class DiffFile:
    """One file of a change; index: its place in the record's list, None where that does not name it."""

    index: int | None
    path: str
    change: str = "modified"
    was: str = ""
    added: int | None = None
    removed: int | None = None
    lines: list[DiffLine] = field(default_factory=list)
    left_out: int = 0  # lines that the page does not show

    @property
    def is_binary(self) -> bool:
        return self.index is not None and self.added is None

    @property
    def is_folded(self) -> bool:
        return len(self.lines) > FOLDED_FROM


@dataclass(frozen=True)
class Output:
    """What an agent wrote: its last lines, and those before them."""

    before: str
    last: str
    folded: int  # lines before the last ones


def output(text: str) -> Output:
    lines = seen(text).strip("\n").split("\n")
    if len(lines) <= LAST_LINES + 2:
        return Output("", "\n".join(lines), 0)
    before = lines[:-LAST_LINES]
    return Output("\n".join(before), "\n".join(lines[-LAST_LINES:]), len(before))


def diff_files(record: Mapping[str, Any]) -> list[DiffFile]:
    """The files of a change, those without text too, with the lines that the diff has of each."""
    listed = [_listed(index, file) for index, file in enumerate(record.get("files") or [])]
    named = {f"diff --git a/{file.was or file.path} b/{file.path}": file for file in listed}
    others: list[DiffFile] = []
    room = MOST_LINES
    for head, lines in _sections(str(record.get("diff") or "").split("\n")):
        file = named.get(head)
        if file is None:
            file = DiffFile(None, head.removeprefix("diff --git "))
            others.append(file)
        found = list(_lines(lines))
        file.lines = found[:room]
        file.left_out = len(found) - len(file.lines)
        room -= len(file.lines)
    return [*listed, *(file for file in others if file.lines)]


def _listed(index: int, file: Mapping[str, Any]) -> DiffFile:
    names = ("path", "change", "was", "added", "removed")
    return DiffFile(index, **{name: file[name] for name in names if name in file})


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Head line and lines of each file. A line inside a hunk is never a head, whatever it says."""
    head, left = "", [0, 0]
    found: list[str] = []
    for line in lines:
        inside = any(left)
        if not inside and line.startswith("diff --git "):
            if head or found:
                yield head, found
            head, found = line, []
            continue
        found.append(line)
        left = _left(left, line) if inside else _sizes(line)
    yield head, found


def _sizes(line: str) -> list[int]:
    """How many lines of either side a hunk has, by its head."""
    hunk = HUNK.match(line)
    return [int(hunk[2] or 1), int(hunk[4] or 1)] if hunk else [0, 0]


def _left(left: list[int], line: str) -> list[int]:
    """What is left of a hunk after one of its lines; nothing where the diff was cut."""
    if line[:1] == "\\":
        return left
    if line[:1] not in KINDS:
        return [0, 0]
    return [max(left[0] - (line[:1] != "+"), 0), max(left[1] - (line[:1] != "-"), 0)]


def _lines(lines: Sequence[str]) -> Iterator[DiffLine]:
    old = new = 0
    left = [0, 0]
    shown = False  # whether a hunk has begun: what stands before it is git's
    for line in lines:
        if any(left) and line[:1] in KINDS:
            kind = KINDS[line[:1]]
            yield DiffLine(
                kind, old if kind != "added" else None, new if kind != "removed" else None, seen(line[1:])
            )
            old, new = old + (kind != "added"), new + (kind != "removed")
            left = _left(left, line)
        elif hunk := HUNK.match(line):
            old, new, left, shown = int(hunk[1]), int(hunk[3]), _sizes(line), True
            yield DiffLine("gap", None, None, seen(hunk[5]))
        elif line.startswith("[… "):
            left, shown = [0, 0], True
            yield DiffLine("gap", None, None, line)
        elif shown and line[:1] != "\\" and line:
            yield DiffLine(KINDS.get(line[:1], "gap"), None, None, seen(line[1:]))  # after a cut: no numbers
