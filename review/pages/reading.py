"""A record as its flow's page shows it, with every finding at the value that it concerns or above it.

A flow brings `templates/review/records/<flow>.html` and, for looks of its own, `css/records/<flow>.css`; without
one, or where a draft is not of the schema, the record is shown as a table.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any

from django.contrib.staticfiles import finders
from django.template import TemplateDoesNotExist
from django.template.backends.django import Template
from django.template.loader import get_template
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from generation.flows.order import in_order, schema_of
from generation.models import Draft, Run
from review.correcting import as_text, at
from review.matching import Line
from review.pages.findings import Note, nearest
from review.pages.record import Piece, Row, Sheet, identity, pieces

TABLE = "review/records/_generic.html"


@dataclass(frozen=True)
class Edit:
    """One field in which a value is corrected."""

    pointer: str
    label: str
    now: str  # what stands in the record
    typed: str
    kind: str  # size, unit or value: which signal a correction suggests
    rows: int  # lines of the field; 1 is an input
    refused: str = ""

    @property
    def is_changed(self) -> bool:
        return self.typed != self.now


@dataclass(frozen=True)
class Correcting:
    """What a reviewer may correct, has typed so far, and what of it was refused."""

    patterns: Sequence[str]
    typed: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    def edits(self, row: Row, content: Mapping[str, Any]) -> list[Edit]:
        return [
            self._edit(place, row, as_text(at(content, place.split("/")[1:])))
            for place in row.places
            if any(fnmatchcase(place, pattern) for pattern in self.patterns)
        ]

    def _edit(self, place: str, row: Row, now: str) -> Edit:
        kind = "unit" if place.endswith("/unit") else "size" if place.startswith("/dimensions/") else "value"
        label = _("%s, unit") % row.label if kind == "unit" else row.label
        lines = 1 if row.parts else max(len(now) // 60 + 1, now.count("\n") + 1 + isinstance(row.value, list))
        typed, refused = self.typed.get(place, now), self.refused.get(place, "")
        return Edit(place, label, now, typed, kind, min(lines, 10), refused)


@dataclass(frozen=True)
class Spot:
    """A value, or a part of the record, as the page shows it. row: None where the record has parts there."""

    pointer: str
    id: str  # "" where the page shows the same a second time
    row: Row | None
    within: list[Row]
    notes: list[Note]
    edits: list[Edit] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.row.text if self.row else ", ".join(row.text for row in self.within if not row.is_unknown)

    @property
    def is_unknown(self) -> bool:
        return not self.text

    @property
    def said(self) -> list[tuple[str, Note]]:
        """What was found, each with where within the spot, in words; "" where it is the spot itself."""
        return [(note.within(self.pointer), note) for note in self.notes]

    @property
    def mark(self) -> str:
        """wrong, suspect, unsupported or not at all, as of a row."""
        if any(note.grave for note in self.notes):
            return "wrong"
        if self.notes:
            return "suspect"
        return self.row.mark if self.row and not self.row.notes else ""


@dataclass
class Reading:
    """The page asks for spots by their JSON pointers; what was found is placed among those it asked for."""

    sheet: Sheet
    content: Mapping[str, Any] = field(default_factory=dict)
    correcting: Correcting | None = None  # None where nothing can be corrected now
    html: str = ""
    asked: dict[str, None] = field(default_factory=dict)  # an ordered set
    placed: dict[str, list[Note]] = field(default_factory=dict)
    _given: set[str] = field(default_factory=set)

    def spot(self, *parts: object) -> Spot:
        """The value at a pointer, given whole or in parts: `"/blocks", 2, "text"` is `/blocks/2/text`."""
        pointer = "".join(f"/{part}" for part in (str(part).strip("/") for part in parts) if part)
        again = pointer in self._given
        self.asked[pointer] = None
        self._given.add(pointer)
        row = self._rows.get(pointer)
        return Spot(
            pointer,
            "" if again else identity(pointer),
            row,
            [row for row in self.sheet.rows if row.pointer.startswith(f"{pointer}/")],
            [] if again else self.placed.get(pointer, []),
            [] if again or row is None or self.correcting is None else self.correcting.edits(row, self.content),
        )

    @cached_property
    def _rows(self) -> dict[str, Row]:
        absent = (row for group in self.sheet.groups for row in group.absent)
        return {row.pointer: row for row in (*absent, *self.sheet.rows)}

    @property
    def said(self) -> list[tuple[str, Note]]:
        """What concerns the whole record, or a field that is not on the page, each with that field in words."""
        return [(note.within(""), note) for note in self.placed.get("", [])]

    @property
    def found(self) -> int:
        """How many places on the page have findings."""
        return sum(1 for pointer in self.placed if pointer)

    @property
    def changed(self) -> list[Row]:
        return [row for row in self.sheet.changed if row.pointer in self.asked]

    @cached_property
    def source(self) -> list[tuple[Line, list[Piece]]]:
        """The source, its words marked that values stand on."""
        shown_at = {row.id: identity(nearest(row.pointer, self.asked) or row.pointer) for row in self.sheet.rows}
        return [(line, pieces(line, self.sheet.rows, shown_at)) for line in self.sheet.lines]

    @property
    def unused(self) -> int:
        return sum(not any(piece.rows for piece in cut) for _line, cut in self.source)


def reading(run: Run, draft: Draft | None, laid_out: Sheet, correcting: Correcting | None = None) -> Reading:
    """Draw the record twice: which values a page shows is known only once it was drawn, and then what was found
    takes its place at them."""
    schema, content = schema_of(run.flow), draft.content if draft else {}
    read = Reading(laid_out, content, correcting)
    template = get_template(TABLE) if schema is None or not fits(content, schema) else template_of(run.flow)
    context = {
        "run": run,
        "draft": draft,
        "record": in_order(content, schema),
        "sheet": laid_out,
        "reading": read,
    }
    template.render(context)
    for note in laid_out.notes:
        read.placed.setdefault(nearest(note.field, read.asked), []).append(note)
    read._given.clear()
    read.html = template.render(context)
    return read


def fits(content: Mapping[str, Any], schema: type[BaseModel]) -> bool:
    """Whether a record is of its schema, so that a page may count on its parts."""
    try:
        schema.model_validate_json(json.dumps(content))
    except ValidationError:
        return False
    return True


def template_of(flow: str) -> Template:
    try:
        return get_template(f"review/records/{flow}.html")  # type: ignore[return-value]
    except TemplateDoesNotExist:
        return get_template(TABLE)  # type: ignore[return-value]


@cache
def style_of(flow: str) -> str:
    """The static file with the looks of a flow's records; "" where it has none."""
    path = f"css/records/{flow}.css"
    return path if finders.find(path) else ""
