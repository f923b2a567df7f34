"""How a record is laid out: order, lines, findings at their field, what changed."""

from typing import Any

import pytest

from generation.flows.item.record import Item
from generation.models import Draft, Run
from review.pages.reading import Reading, reading
from review.pages.record import Sheet, sheet
from tests.scenes import DRILL, DRILL_TEXT, FEEDBACK, FINDINGS

SOURCE = {"title": "Nordhaus AB 18-60 Li Akku-Bohrschrauber", "text": DRILL_TEXT}


def lay_out(**given: Any) -> Sheet:
    return sheet(DRILL, SOURCE, schema=Item, **given)


def read(page: Sheet, content: dict[str, Any] = DRILL) -> Reading:
    """The sheet as the table of an item shows it."""
    return reading(Run(flow="item"), Draft(content=content), page)


def at_the_top(page: Sheet) -> list[str]:
    return [note.text for _where, note in read(page).said]


def row(page: Sheet, label: str) -> Any:
    return next(row for row in page.rows if row.label == label)


def test_groups_come_in_the_order_of_the_schema() -> None:
    shuffled = dict(sorted(DRILL.items(), key=lambda item: item[0][::-1]))
    page = sheet(shuffled, SOURCE, schema=Item)
    assert [group.label for group in page.groups] == ["", "Specifications", "Physical dimensions", ""]
    assert [row.label for row in page.groups[0].rows] == ["Name", "Description"]
    assert [row.label for row in page.groups[2].rows] == ["Length", "Width", "Height", "Weight"]
    assert [row.label for row in page.groups[2].absent] == ["Depth", "Diameter"]


@pytest.mark.parametrize(
    ("label", "line", "mark"),
    [
        ("Name", 1, ""), ("Battery voltage", 3, ""), ("Impact rate", None, "unsupported"),
        ("Length", 9, "suspect"),
        ("Weight", 10, ""), ("Sources", None, ""),
    ],
)  # fmt: skip
def test_a_value_says_where_it_comes_from(label: str, line: int | None, mark: str) -> None:
    found = row(lay_out(), label)
    assert (found.line, found.mark) == (line, mark)


@pytest.mark.parametrize(
    ("value", "line"), [("C", None), ("mm", None), (1, None), (18.0, None), ("Akkuspannung", 3), ("1,7 kg", 10)]
)
def test_what_need_not_stand_in_the_source_is_shown_there_where_that_tells(value: Any, line: int | None) -> None:
    """The key of a question, "C", is not the C of a temperature."""
    page = sheet({"value": value}, SOURCE, sourced=())
    assert page.rows[0].line == line
    assert not page.unsupported


def test_the_figure_in_its_place_is_told() -> None:
    assert row(lay_out(), "Length").reads == "194 mm"
    page = sheet({"dimensions": {"length": {"value": 23.1, "unit": "mm"}}}, {"text": "Maße: 23,1 x 18,0 cm"})
    assert row(page, "Length").reads == "23,1 cm"


def test_a_finding_stands_at_its_field_and_an_unknown_one_at_the_top() -> None:
    lost = {"field": "/nowhere", "code": "schema", "severity": "error", "detail": "lost"}
    page = lay_out(findings=[*FINDINGS, lost])
    assert [note.who for note in row(page, "Length").notes] == ["Size check"]
    assert at_the_top(page) == ["lost"]


def test_feedback_that_names_one_field_stands_there_the_rest_at_the_top() -> None:
    page = lay_out(feedback=FEEDBACK, judge="Supervisor")
    assert [note.text for note in row(page, "Drilling, steel").notes] == ["Drilling, steel: line 7 gives 13 mm."]
    assert row(page, "Drilling, steel").mark == "wrong"
    assert at_the_top(page) == ["The record mixes two machines; the hammer version is another product."]


def test_feedback_that_repeats_a_finding_is_said_once() -> None:
    judged = [{"field": "/name", "code": "x", "severity": "error", "detail": "The name is wrong."}]
    page = lay_out(judged=judged, feedback="The name is wrong.", judge="Supervisor")
    assert len(row(page, "Name").notes) == 1
    assert at_the_top(page) == []


def test_changes_are_told_by_name_not_by_position() -> None:
    before = DRILL | {"specifications": list(reversed(DRILL["specifications"])), "name": "Other"}
    page = lay_out(before=before)
    assert [(row.label, row.was) for row in page.changed] == [("Name", "Other")]


def test_a_source_line_is_cut_into_pieces_that_name_their_values() -> None:
    line, pieces = read(lay_out()).source[8]
    assert "".join(piece.text for piece in pieces) == line.text
    assert [piece.text for piece in pieces if piece.rows] == ["194 mm", "252 mm", "66 mm"]
    assert [piece.differs for piece in pieces if piece.rows] == [True, False, False]


def test_the_source_says_its_language_and_what_is_unused() -> None:
    page = read(lay_out())
    assert page.sheet.language == "de"
    assert page.unused == 4


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"name": None},
        {"specifications": "none"},
        {"specifications": [1, {"value": 2}, {"a": {"b": 3}}]},
        {"x": [[1]]},
    ],
)
def test_any_record_can_be_shown(content: dict[str, Any]) -> None:
    for schema in (Item, None):
        assert read(sheet(content, {}, schema=schema), content).source == []
