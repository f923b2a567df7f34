"""A record as its flow's page shows it, with every finding at the value that it concerns or above it.

A flow brings `templates/review/records/<flow>.html` and, for looks of its own, `css/records/<flow>.css`; without
one, or where a draft is not of the schema, the record is shown as a table.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from django.contrib.staticfiles import finders
from django.template import TemplateDoesNotExist
from django.template.backends.django import Template
from django.template.loader import get_template
from pydantic import BaseModel, ValidationError

from generation.flows.order import in_order, schema_of
from generation.models import Draft, Run
from review.matching import Line
from review.pages.findings import Note, nearest
from review.pages.record import Piece, Row, Sheet, identity, pieces

TABLE = "review/records/_generic.html"


@dataclass(frozen=True)
class Spot:
    """A value, or a part of the record, as the page shows it. row: None where the record has parts there."""

    pointer: str
    id: str  # "" where the page shows the same a second time
    row: Row | None
    within: list[Row]
    notes: list[Note]

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
        return Spot(
            pointer,
            "" if again else identity(pointer),
            self._rows.get(pointer),
            [row for row in self.sheet.rows if row.pointer.startswith(f"{pointer}/")],
            [] if again else self.placed.get(pointer, []),
        )

    @cached_property
    def _rows(self) -> dict[str, Row]:
        return {row.pointer: row for row in self.sheet.rows}

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


def reading(run: Run, draft: Draft | None, laid_out: Sheet) -> Reading:
    """Draw the record twice: which values a page shows is known only once it was drawn, and then what was found
    takes its place at them."""
    read = Reading(laid_out)
    schema, content = schema_of(run.flow), draft.content if draft else {}
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
