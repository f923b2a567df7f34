"""What is said of an editorial without asking anybody: its form, and what can be counted."""

from typing import Any

import pytest

from generation.flows.editorial.check import counted, form
from generation.flows.editorial.names import has_words, holds
from generation.flows.editorial.record import Editorial
from generation.flows.editorial.ties import tied
from tests.generation.editorials import LAYOUT, MENTIONS, SOURCE, layout, without


def body(*paragraphs: Any) -> dict[str, Any]:
    blocks = [{"type": "body_text", "paragraphs": list(paragraphs)}, *LAYOUT["blocks"][1:]]
    return layout(blocks=blocks)


def test_the_layout_is_in_form_and_whole() -> None:
    assert form(LAYOUT, SOURCE) == counted(LAYOUT, SOURCE) == []
    assert not any(block["type"] == "hero" for block in LAYOUT["blocks"])  # a hero is optional


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ({}, ["/title", "/blocks", ""]),
        (layout(title=""), ["/title"]),
        (layout(title="—"), ["/title"]),
        (layout(title=None), ["/title"]),
        (layout(blocks=[]), [""]),
        (layout(blocks="text"), ["/blocks", ""]),
        (layout(blocks=[7]), ["/blocks/0", ""]),
        (without("body_text"), [""]),
        (body(), ["/blocks/0"]),  # an empty list had passed
        (body("", " \n", "\u200b", "…"), ["/blocks/0"]),
        (body(None), ["/blocks/0/paragraphs/0"]),
        (
            layout(blocks=[{"type": "body_text", "paragraphs": "One string."}]),
            ["/blocks/0/paragraphs"],
        ),
        (layout(blocks=[*LAYOUT["blocks"], {"type": "gallery"}]), ["/blocks/4"]),
        (layout(blocks=[*LAYOUT["blocks"], {"type": "quote"}]), ["/blocks/4/text"]),
        (layout(criteria=[], passed=True), ["/criteria", "/passed"]),  # a verdict forged into the record
    ],
)
def test_errors_of_form_name_their_field(content: dict[str, Any], fields: list[str]) -> None:
    found = form(content, SOURCE)
    assert [one["field"] for one in found] == fields
    assert all(one["detail"] and one["severity"] == "error" for one in found)


NOBODY = layout(blocks=[{"type": "body_text", "paragraphs": ["A rainy day.", "Another one."]}])
TWO_PEOPLE = {**SOURCE, "topics": [*SOURCE["topics"], {"title": "Quay", "summary": "", "people": ["Ole Berg"]}]}
UNNAMED = {"keyword": "Rain", "topics": [{"title": "Rain", "summary": "It falls."}]}


@pytest.mark.parametrize(
    ("content", "source", "codes"),
    [
        (LAYOUT, SOURCE, []),
        (without("person"), SOURCE, []),  # the text names her
        (without("person"), TWO_PEOPLE, []),  # one of them is enough
        (without("hashtags"), SOURCE, ["no_hashtags"]),
        (
            layout(blocks=[*without("hashtags")["blocks"], {"type": "hashtags", "tags": ["", "#"]}]),
            SOURCE,
            ["no_hashtags"],
        ),
        (body("Only one."), SOURCE, ["few_paragraphs"]),
        (body("One.", " "), SOURCE, ["few_paragraphs"]),
        (NOBODY, SOURCE, ["no_person", "no_product", "no_hashtags"]),
        (NOBODY, UNNAMED, ["no_hashtags"]),  # nobody is asked to make somebody up
        ({}, SOURCE, ["no_person", "no_product", "few_paragraphs", "no_hashtags"]),
        (layout(blocks={"type": "person"}), SOURCE, ["no_person", "no_product", "few_paragraphs", "no_hashtags"]),
    ],
)
def test_what_is_counted(content: dict[str, Any], source: dict[str, Any], codes: list[str]) -> None:
    assert [one["code"] for one in counted(content, source)] == codes


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("Hair by the quay", "AI", False),
        ("AI by the quay", "ai", True),
        ("(A.I.)", "AI", False),
        ("Tuva  Lind's coat", "Tuva Lind", True),
        ("Tuva\nLind", "tuva lind", True),
        ("Tuva Linden", "Tuva Lind", False),
        ("Straße", "Straße", True),
        ("anything", " ", False),
        ("C++ (2)", "C++", True),
    ],
)
def test_names_are_whole_words(text: str, name: str, is_there: bool) -> None:
    assert holds(text, name) is is_there


@pytest.mark.parametrize(
    ("text", "is_there"), [("a", True), ("7", True), ("雨", True), ("_-…", False), (None, False)]
)
def test_words(text: Any, is_there: bool) -> None:
    assert has_words(text) is is_there


@pytest.mark.parametrize(
    ("mentions", "kept"),
    [
        (MENTIONS, MENTIONS),
        ([MENTIONS[0] | {"topic": 2}], [MENTIONS[0]]),  # the second topic does not name her
        ([MENTIONS[0] | {"topic": 99}], [MENTIONS[0]]),
        ([MENTIONS[0] | {"topic": None}], [MENTIONS[0]]),
        ([MENTIONS[0], MENTIONS[0] | {"name": "tuva lind"}], [MENTIONS[0]]),
        ([{"name": "Olaf Berg", "kind": "person", "topic": 1}], []),  # not in the draft
        (
            [{"name": "waxing room", "kind": "product", "topic": 1}],
            [{"name": "waxing room", "kind": "product", "topic": 1}],
        ),
        ([{"name": "it", "kind": "brand", "topic": 1}], [{"name": "it", "kind": "brand", "topic": None}]),
        (["odd", None, {"name": "Norsund"}, {"name": "Norsund", "kind": "ship", "topic": 1}], []),
        ("none", []),
    ],
)
def test_ties_hold_in_draft_and_source(mentions: Any, kept: list[dict[str, Any]]) -> None:
    assert tied({"mentions": mentions}, LAYOUT, SOURCE) == kept
    Editorial.model_validate(LAYOUT | {"mentions": kept})
