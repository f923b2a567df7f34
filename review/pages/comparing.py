"""A record beside an earlier revision of it: field by field, and word by word inside of texts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from generation.flows.order import schema_of
from generation.models import Draft, Run
from generation.wording import Words, marked
from review.pages.record import Row, key_of, sheet


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
