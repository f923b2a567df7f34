"""Two texts line by line, as rows of a table, with the words marked that differ inside of changed lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from generation.wording import Words, marked


@dataclass(frozen=True)
class Row:
    """One line: numbers of the old and the new text (None where it is not in it).

    words: the line cut where it differs from its counterpart; empty where it has none in common with it.
    """

    kind: Literal["same", "removed", "added", "gap"]
    old: int | None
    new: int | None
    text: str
    words: tuple[Words, ...] = ()


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
    return found or [Row("gap", None, None, "…")]  # line ends alone differ


def _part(tag: str, before: Sequence[str], after: Sequence[str], at: tuple[int, int, int, int]) -> Iterator[Row]:
    i1, i2, j1, j2 = at
    if tag == "equal":
        for step in range(i2 - i1):
            yield Row("same", i1 + step + 1, j1 + step + 1, before[i1 + step])
        return
    removed, added = _marked_lines(before[i1:i2], after[j1:j2])
    for step, text in enumerate(before[i1:i2]):
        yield Row("removed", i1 + step + 1, None, text, removed[step])
    for step, text in enumerate(after[j1:j2]):
        yield Row("added", None, j1 + step + 1, text, added[step])


Lines = list[tuple[Words, ...]]


def _marked_lines(old: Sequence[str], new: Sequence[str]) -> tuple[Lines, Lines]:
    """The words of a changed block on either side, line by line: a text that was only wrapped anew has few."""
    plain: tuple[Lines, Lines] = ([()] * len(old), [()] * len(new))
    if not old or not new:
        return plain
    words = list(marked("\n".join(old), "\n".join(new)))
    if not any(part.kind == "same" and part.text.strip() for part in words):
        return plain
    return _cut(words, "removed"), _cut(words, "added")


def _cut(words: Sequence[Words], side: str) -> Lines:
    """One side of the block, cut at its line ends."""
    lines: list[list[Words]] = [[]]
    for part in words:
        if part.kind not in ("same", side):
            continue
        first, *more = part.text.split("\n")
        lines[-1].append(Words(part.kind, first))
        lines += [[Words(part.kind, text)] for text in more]
    return [tuple(part for part in line if part.text) for line in lines]
