"""Two texts line by line, as rows of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One line: numbers of the old and the new text (None where it is not in it)."""

    kind: Literal["same", "removed", "added", "gap"]
    old: int | None
    new: int | None
    text: str


CONTEXT = 3


def rows(old: str, new: str) -> list[Row]:
    """Changed lines with three lines around them; longer equal parts are one gap. Empty where nothing differs."""
    if old == new:
        return []
    before, after = old.splitlines(), new.splitlines()
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT)
    found: list[Row] = []
    for group in groups:
        if found or group[0][1] > 0:
            found.append(Row("gap", None, None, "…"))
        for tag, i1, i2, j1, j2 in group:
            found += _part(tag, before, after, (i1, i2, j1, j2))
    return found


def _part(tag: str, before: list[str], after: list[str], at: tuple[int, int, int, int]) -> Iterator[Row]:
    i1, i2, j1, j2 = at
    if tag == "equal":
        for step in range(i2 - i1):
            yield Row("same", i1 + step + 1, j1 + step + 1, before[i1 + step])
        return
    for index in range(i1, i2):
        yield Row("removed", index + 1, None, before[index])
    for index in range(j1, j2):
        yield Row("added", None, index + 1, after[index])
