"""A record beside its source: every value with its line, every finding at its field."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel

from generation.flows.order import in_order, models_in
from review.language import language
from review.matching import Line, Match, Span, match, source_lines
from review.normalise import fold
from review.pages.findings import Note, nearest, notes

EVERYTHING = ("*",)


@dataclass
class Row:
    """One value of the record. `was` is what the last revision had, where that differs."""

    id: str
    pointer: str
    label: str
    value: Any
    unit: str = ""
    support: Match | None = None
    named: bool = False  # the label is the record's own name for the value, not its place
    sourced: bool = True  # whether it ought to stand in the source
    was: str = ""
    reads: str = ""  # the figure that stands in the source in its place
    notes: list[Note] = field(default_factory=list)
    parts: tuple[str, ...] = ()  # of a value that stands with its unit: what can be corrected of it

    @property
    def places(self) -> list[str]:
        """The pointers of what can be corrected of it."""
        return [f"{self.pointer}/{part}" for part in self.parts] or [self.pointer]

    @property
    def text(self) -> str:
        return _shown(self.value)

    @property
    def is_unknown(self) -> bool:
        return self.value in (None, "", [])

    @property
    def unsupported(self) -> bool:
        return self.sourced and not self.is_unknown and self.support is None

    @property
    def line(self) -> int | None:
        return self.support.line if self.support else None

    @property
    def mark(self) -> str:
        """How the value itself is marked: wrong, suspect, unsupported or not at all."""
        if any(note.grave for note in self.notes):
            return "wrong"
        if self.notes or self.reads:
            return "suspect"
        return "unsupported" if self.unsupported else ""


@dataclass(frozen=True)
class Group:
    pointer: str  # "" for the head
    label: str
    rows: list[Row]
    absent: tuple[Row, ...] = ()  # fields that the schema has and the record leaves out


@dataclass(frozen=True)
class Piece:
    """A stretch of a source line; `rows` are the values that it supports, by id."""

    text: str
    rows: str = ""
    differs: bool = False


@dataclass
class Sheet:
    """Record and source of one draft, matched with each other."""

    groups: list[Group]
    lines: list[Line]
    notes: list[Note] = field(default_factory=list)  # all that was found, wherever it is shown

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]

    @cached_property
    def language(self) -> str:
        return language(line.text for line in self.lines)

    @property
    def language_name(self) -> str:
        return {"de": _("German"), "en": _("English")}.get(self.language, "")

    @property
    def changed(self) -> list[Row]:
        return [row for row in self.rows if row.was]

    @property
    def unsupported(self) -> list[Row]:
        return [row for row in self.rows if row.unsupported]

    @property
    def sizes(self) -> list[Row]:
        return [row for row in self.rows if any(note.size for note in row.notes)]


def sheet(
    content: Mapping[str, Any],
    source: Mapping[str, Any],
    *,
    findings: Iterable[Mapping[str, Any]] = (),
    judged: Iterable[Mapping[str, Any]] = (),
    feedback: str = "",
    judge: str = "",
    before: Mapping[str, Any] | None = None,
    schema: type[BaseModel] | None = None,
    sourced: Sequence[str] = EVERYTHING,
) -> Sheet:
    """Lay out a record, in the order of its schema: the database keeps none.

    findings: of the check; judged: the judge's own; before: the last revision's content; sourced: pointers,
    `*` for any part of one, of the values that ought to stand in the source.
    """
    groups = list(_groups(in_order(content, schema), schema))
    page = Sheet(groups=groups, lines=source_lines(source))
    for row in page.rows:
        row.sourced = row.sourced and any(fnmatchcase(row.pointer, pattern) for pattern in sourced)
        _support(row, page.lines)
    if before is not None:
        _compare(page.rows, before)
    page.notes = notes(findings, judged, feedback, judge, {row.pointer: row.label for row in page.rows})
    by_pointer = {row.pointer: row for row in page.rows}
    for note in page.notes:
        if row_there := by_pointer.get(nearest(note.field, by_pointer)):
            row_there.notes.append(note)
    return page


def _support(row: Row, lines: list[Line]) -> None:
    """The line that has the value. What need not stand in the source is marked where it does, and never missed."""
    if row.is_unknown or row.pointer == "/sources" or not (row.sourced or _is_telling(row.value)):
        return
    found = match(row.value, row.unit or None, lines, label=row.label)
    if found and (row.sourced or not found.differs):
        row.support = found
        row.reads = _reading(found, lines) if found.differs else ""


def _is_telling(value: Any) -> bool:
    """Not so a count, a number of a topic or the letter of a key: it stands in some line of any source."""
    return not isinstance(value, int | float) and len(_shown(value)) > 2


def _reading(found: Match, lines: Sequence[Line]) -> str:
    span = found.spans[0]
    text = lines[span.line - 1].text[span.start : span.end]
    return f"{text} {found.unit}" if text[-1].isdigit() and found.unit else text


def _groups(content: Mapping[str, Any], schema: type[BaseModel] | None = None) -> Iterator[Group]:
    """The head first, then a group per list or object, in the record's own order."""
    head = [Row(f"f-{key}", f"/{key}", label_of(key), value) for key, value in content.items() if _is_plain(value)]
    if head:
        yield Group("", "", head)
    for key, value in content.items():
        if _is_plain(value) or key == "sources":
            continue
        rows = list(_rows(f"/{key}", value))
        absent = [row for row in rows if row.value is None and not row.unit] if _is_object(value) else []
        for row in absent:
            row.parts = row.parts or _parts_of(schema, key, row.pointer.rpartition("/")[2])
        if rows:
            yield Group(f"/{key}", _group_label(key), [row for row in rows if row not in absent], tuple(absent))
    if sources := content.get("sources"):
        yield Group("", "", [Row("f-sources", "/sources", _("Sources"), sources, sourced=False)])


def _parts_of(schema: type[BaseModel] | None, holder: str, name: str) -> tuple[str, ...]:
    """Value and unit, where the schema has both in a field that the record leaves out."""
    found = models_in(schema.model_fields[holder].annotation) if schema and holder in schema.model_fields else []
    known = found[0].model_fields.get(name) if len(found) == 1 else None
    inner = models_in(known.annotation) if known else []
    return tuple(part for part in ("value", "unit") if part in inner[0].model_fields) if len(inner) == 1 else ()


def _rows(pointer: str, value: Any, place: str = "") -> Iterator[Row]:
    """The values within, from left to right. place: the number of the list's part that they belong to."""
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        here = f"{pointer}/{key}"
        number = f"{place}{key + 1}. " if isinstance(key, int) else place
        label = number.rstrip(" ") if isinstance(key, int) else f"{place}{label_of(str(key))}"
        if isinstance(item, Mapping) and "value" in item and not set(item) - {"name", "value", "unit"}:
            name = str(item.get("name") or "")
            unit = str(item.get("unit") or "")
            parts = tuple(part for part in ("value", "unit") if part in item)
            yield Row(identity(here), here, name or label, item["value"], unit, named=bool(name), parts=parts)
        elif isinstance(item, Mapping) or (isinstance(item, list) and item):
            yield from _rows(here, item, number)
        else:
            yield Row(identity(here), here, label, item, sourced=not isinstance(item, bool))


def identity(pointer: str) -> str:
    """The id that a value has on the page."""
    return "f" + re.sub(r"[^\w]+", "-", pointer)


def _compare(rows: Sequence[Row], before: Mapping[str, Any]) -> None:
    """What has a name by its name, not by its position: a specification that moved has not changed."""
    old = {key_of(row): row for group in _groups(before) for row in group.rows}
    for row in rows:
        was = old.get(key_of(row))
        if was is None:
            row.was = _("not there")
        elif (was.value, was.unit) != (row.value, row.unit):
            row.was = f"{was.text} {was.unit}".strip() or _("empty")


def key_of(row: Row) -> tuple[str, str]:
    return (row.pointer.split("/")[1], fold(row.label)) if row.named else (row.pointer, "")


def pieces(line: Line, rows: Sequence[Row], shown_at: Mapping[str, str]) -> list[Piece]:
    """The line, cut where values are found in it. shown_at: row id → the id under which the page shows it."""
    marks: dict[Span, tuple[list[str], bool]] = {}
    for row in rows:
        for span in row.support.spans if row.support else ():
            if span.line == line.number:
                ids, differs = marks.get(span, ([], False))
                here = shown_at.get(row.id, row.id)
                marks[span] = ([*ids, here], differs or bool(row.support and row.support.differs))
    cut, at = [], 0
    for span in sorted(marks, key=lambda span: (span.start, -span.end)):
        if span.start < at:
            continue  # inside a longer one
        if span.start > at:
            cut.append(Piece(line.text[at : span.start]))
        ids, differs = marks[span]
        cut.append(Piece(line.text[span.start : span.end], " ".join(dict.fromkeys(ids)), differs))
        at = span.end
    return [*cut, Piece(line.text[at:])] if at < len(line.text) else cut


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping | list)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def label_of(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _group_label(key: str) -> str:
    return {"dimensions": _("Physical dimensions"), "specifications": _("Specifications")}.get(key, label_of(key))


def _shown(value: Any) -> str:
    """A value as it stands in the record; numbers without grouping, which could be misread."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)
