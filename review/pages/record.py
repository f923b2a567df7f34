"""A record beside its source: every value with its line, every finding at its field."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel

from generation.flows.order import in_order
from review.language import language
from review.matching import Line, Match, Span, match, source_lines
from review.normalise import fold


@dataclass(frozen=True)
class Note:
    """A finding in words: who says it, how grave it is."""

    who: str
    text: str
    grave: bool = False
    size: bool = False  # of the check of physical sizes

    @property
    def icon(self) -> str:
        return "i-ruler" if self.size else "i-cross" if self.grave else "i-alert"


@dataclass
class Row:
    """One value of the record. `was` is what the last revision had, where that differs."""

    id: str
    pointer: str
    label: str
    value: Any
    unit: str = ""
    support: Match | None = None
    sourced: bool = True  # whether it ought to stand in the source
    was: str = ""
    reads: str = ""  # the figure that stands in the source in its place
    notes: list[Note] = field(default_factory=list)

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
    label: str
    rows: list[Row]
    absent: tuple[str, ...] = ()  # names of fields that the schema has and the record leaves out


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
    loose: list[Note] = field(default_factory=list)  # findings that name no field

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]

    @cached_property
    def source(self) -> list[tuple[Line, list[Piece]]]:
        return [(line, _pieces(line, self.rows)) for line in self.lines]

    @cached_property
    def language(self) -> str:
        return language(line.text for line in self.lines)

    @property
    def language_name(self) -> str:
        return {"de": _("German"), "en": _("English")}.get(self.language, "")

    @property
    def unused(self) -> int:
        return sum(not any(piece.rows for piece in pieces) for _line, pieces in self.source)

    @property
    def found(self) -> list[Row]:
        return [row for row in self.rows if row.notes]

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
) -> Sheet:
    """Lay out a record, in the order of its schema: the database keeps none.

    findings: of the check; judged: the judge's own; before: the last revision's content.
    """
    groups = list(_groups(in_order(content, schema)))
    page = Sheet(groups=groups, lines=source_lines(source))
    for row in page.rows:
        if row.sourced and not row.is_unknown:
            row.support = match(row.value, row.unit or None, page.lines, label=row.label)
            if row.support and row.support.differs:
                row.reads = _reading(row.support, page.lines)
    if before is not None:
        _compare(page.rows, before)
    _place(page, findings, "")
    _place(page, judged, judge)
    _place_feedback(page, feedback, judge)
    return page


def _reading(found: Match, lines: Sequence[Line]) -> str:
    span = found.spans[0]
    text = lines[span.line - 1].text[span.start : span.end]
    return f"{text} {found.unit}" if text[-1].isdigit() and found.unit else text


def _groups(content: Mapping[str, Any]) -> Iterator[Group]:
    """The head first, then a group per list or object, in the record's own order."""
    head = [Row(f"f-{key}", f"/{key}", _label(key), value) for key, value in content.items() if _is_plain(value)]
    if head:
        yield Group("", head)
    for key, value in content.items():
        if _is_plain(value) or key == "sources":
            continue
        rows = list(_rows(f"/{key}", value))
        absent = (
            tuple(row.label for row in rows if row.value is None and not row.unit) if _is_object(value) else ()
        )
        if rows:
            yield Group(_group_label(key), [row for row in rows if row.label not in absent], absent)
    if sources := content.get("sources"):
        yield Group("", [Row("f-sources", "/sources", _("Sources"), sources, sourced=False)])


def _rows(pointer: str, value: Any) -> Iterator[Row]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        here = f"{pointer}/{key}"
        identity = "f" + re.sub(r"[^\w]+", "-", here)
        if isinstance(item, Mapping) and "value" in item and not set(item) - {"name", "value", "unit"}:
            label = str(item.get("name") or "") or _label(str(key))
            yield Row(identity, here, label, item["value"], str(item.get("unit") or ""))
        elif isinstance(item, Mapping) or (isinstance(item, list) and item):
            yield from _rows(here, item)
        else:
            yield Row(identity, here, _label(str(key)), item)


def _place(page: Sheet, findings: Iterable[Mapping[str, Any]], judge: str) -> None:
    """Every finding at the row whose pointer begins its own; at the top where there is none."""
    for finding in findings:
        note = _note(finding, judge)
        row = _row_at(page.rows, str(finding.get("field", "")))
        (row.notes if row else page.loose).append(note)


def _note(finding: Mapping[str, Any], judge: str) -> Note:
    code = str(finding.get("code", ""))
    size = code in ("implausible_size", "not_positive", "wrong_unit", "unknown_unit")
    who = judge or (_("Size check") if size else _("Format check") if code == "schema" else _("Check"))
    return Note(
        who, str(finding.get("detail", "")), grave=finding.get("severity") == "error", size=size and not judge
    )


def _row_at(rows: Sequence[Row], pointer: str) -> Row | None:
    fitting = [row for row in rows if pointer == row.pointer or pointer.startswith(f"{row.pointer}/")]
    return max(fitting, key=lambda row: len(row.pointer), default=None)


def _place_feedback(page: Sheet, feedback: str, judge: str) -> None:
    """Free text: a sentence that names one field stands there, the rest at the top, in its own words."""
    said = {note.text for note in page.loose} | {note.text for row in page.rows for note in row.notes}
    rest = []
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])|\n+", feedback):
        text = sentence.strip(" \t-*•")
        if not text or text in said:
            continue
        named = [row for row in page.rows if len(row.label) > 3 and _names(text, row.label)]
        if len(named) == 1:
            named[0].notes.append(Note(judge, text, grave=True))
        else:
            rest.append(text)
    if rest:
        page.loose.append(Note(judge, "\n".join(rest), grave=True))


def _names(sentence: str, label: str) -> bool:
    words = rf"(?<!\w){re.escape(label.casefold().replace('_', ' '))}(?!\w)"
    return re.search(words, sentence.casefold().replace("_", " ")) is not None


def _compare(rows: Sequence[Row], before: Mapping[str, Any]) -> None:
    """By name, not by position: a specification that moved has not changed."""
    old = {(row.pointer.split("/")[1], fold(row.label)): row for group in _groups(before) for row in group.rows}
    for row in rows:
        was = old.get((row.pointer.split("/")[1], fold(row.label)))
        if was is None:
            row.was = _("not there")
        elif (was.value, was.unit) != (row.value, row.unit):
            row.was = f"{was.text} {was.unit}".strip() or _("empty")


def _pieces(line: Line, rows: Sequence[Row]) -> list[Piece]:
    marks: dict[Span, tuple[list[str], bool]] = {}
    for row in rows:
        for span in row.support.spans if row.support else ():
            if span.line == line.number:
                ids, differs = marks.get(span, ([], False))
                marks[span] = ([*ids, row.id], differs or bool(row.support and row.support.differs))
    pieces, at = [], 0
    for span in sorted(marks, key=lambda span: (span.start, -span.end)):
        if span.start < at:
            continue  # inside a longer one
        if span.start > at:
            pieces.append(Piece(line.text[at : span.start]))
        ids, differs = marks[span]
        pieces.append(Piece(line.text[span.start : span.end], " ".join(ids), differs))
        at = span.end
    return [*pieces, Piece(line.text[at:])] if at < len(line.text) else pieces


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping | list)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _group_label(key: str) -> str:
    return {"dimensions": _("Physical dimensions"), "specifications": _("Specifications")}.get(key, _label(key))


def _shown(value: Any) -> str:
    """A value as it stands in the record; numbers without grouping, which could be misread."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)
