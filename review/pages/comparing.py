"""A record beside an earlier revision of it: field by field, and word by word inside of texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from generation.flows.order import schema_of
from generation.models import Draft, Run
from review.pages.record import Row, key_of, sheet

WORD = re.compile(r"\w+|\s+|[^\w\s]")
MOST_WORDS = 4000  # of both texts together; of longer ones no words are marked
ALIKE = 0.3  # texts that share less of their words are two texts, not one that was changed


@dataclass(frozen=True)
class Words:
    """A stretch of a text that is in both, or in one alone."""

    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True)
class Compared:
    """One value: both texts in one, what was taken out before what came in."""

    label: str
    change: Literal["same", "changed", "added", "removed"]
    words: list[Words]


@dataclass(frozen=True)
class Comparison:
    before: Draft
    after: Draft
    others: list[Draft]  # that it can be compared with, the newest first
    values: list[Compared]

    @property
    def differing(self) -> int:
        return sum(value.change != "same" for value in self.values)


def comparison(run: Run, revision: int | None = None) -> Comparison | None:
    """The record as it stands against `revision`, else against the one before; None where there is no such one."""
    drafts = Draft.objects.filter(run=run, revision__lte=run.revision).select_related("author")
    newest, others = (found := list(drafts.order_by("-revision")))[:1], found[1:]
    before = next((draft for draft in others if revision in (None, draft.revision)), None)
    if before is None:
        return None
    return Comparison(before, newest[0], others, list(compared(run.flow, before.content, newest[0].content)))


def compared(flow: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Compared]:
    """In the order of the record as it stands; what was taken out of it comes last.

    What has a name is found again by its name: a specification that moved has not changed.
    """
    schema = schema_of(flow)
    old = {key_of(row): row for row in sheet(before, {}, schema=schema).rows}
    for row in sheet(after, {}, schema=schema).rows:
        was = old.pop(key_of(row), None)
        if _text(was) or _text(row):
            yield _compare(row.label, _text(was), _text(row))
    for row in old.values():
        if _text(row):
            yield _compare(row.label, _text(row), "")


def _compare(label: str, before: str, after: str) -> Compared:
    if before == after:
        return Compared(label, "same", [Words("same", after)])
    change: Literal["changed", "added", "removed"] = "changed"
    if not before or not after:
        change = "added" if after else "removed"
    return Compared(label, change, list(marked(before, after)))


def _text(row: Row | None) -> str:
    return f"{row.text} {row.unit}".strip() if row else ""


def _alike(matcher: "SequenceMatcher[str]", old: Sequence[str], new: Sequence[str]) -> bool:
    shared = sum(
        not word.isspace() for at, _to, size in matcher.get_matching_blocks() for word in old[at : at + size]
    )
    words = sum(not word.isspace() for word in (*old, *new))
    return 2 * shared >= ALIKE * words


def marked(before: str, after: str) -> Iterator[Words]:
    """Both texts in one, their words compared."""
    old, new = WORD.findall(before), WORD.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False) if len(old) + len(new) <= MOST_WORDS else None
    if matcher is None or not _alike(matcher, old, new):
        yield from (words for words in (Words("removed", before), Words("added", after)) if words.text)
        return
    for kind, start, end, begin, stop in matcher.get_opcodes():
        if kind == "equal":
            yield Words("same", "".join(new[begin:stop]))
            continue
        if taken := "".join(old[start:end]):
            yield Words("removed", taken)
        if put := "".join(new[begin:stop]):
            yield Words("added", put)
