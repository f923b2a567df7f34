"""What callers may send, and how what they may not is told."""

import json
from typing import Any

import pytest

from generation.errors import BadInput
from generation.flows.item.source import title_of
from generation.intake import Options, parse

GOOD: dict[str, Any] = {"flow": "item", "source": {"title": "x"}}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (GOOD | {"colour": 1}, "/colour"),
        (GOOD | {"source": {"title": "x", "colour": 1}}, "/source/colour"),
        (GOOD | {"source": {}}, "/source"),
        (GOOD | {"source": {"title": " "}}, "/source"),
        (GOOD | {"source": {"title": "x", "search_queries": ["a", ""]}}, "/source/search_queries/1"),
        (GOOD | {"source": {"title": 7}}, "/source/title"),
        (GOOD | {"source": "x"}, "/source"),
        ({"source": {"title": "x"}}, "/flow"),
        (GOOD | {"flow": "tune"}, "/flow"),
        (GOOD | {"options": {"review_max_fix_attempts": -1}}, "/options/review_max_fix_attempts"),
        (GOOD | {"options": {"retries": 1}}, "/options/retries"),
        (GOOD | {"external_id": "x" * 201}, "/external_id"),
        (GOOD | {"metadata": {"a/b": ["ok", "no\0"]}}, "/metadata/a~1b/1"),
        (GOOD | {"source": {"title": "\ud800"}}, "/source/title"),
        (GOOD | {"metadata": {"x": float("nan")}}, "/metadata/x"),
        (GOOD | {"source": {"title": "x", "a/b": 1}}, "/source/a~1b"),
        (GOOD | {"metadata": {"x": json.loads("[" * 100 + "]" * 100)}}, "/metadata/x" + "/0" * 99),
        (GOOD | {"metadata": {"n": [1, 1e308]}}, "/metadata/n/1"),
        (GOOD | {"metadata": {"n": "x" * 65_536}}, "/metadata"),
        (GOOD | {"metadata": {"n": [1e39] * 2000}}, "/metadata"),
        (GOOD | {"metadata": []}, "/metadata"),
        ({"flow": "change", "source": {"bead": {"id": "1", "title": "t", "status": "s"}, "x": 1}}, "/source/x"),
        (GOOD | {"options": {"review": "yes"}}, "/options/review"),
        (GOOD | {"options": {"review": 1}}, "/options/review"),
        (GOOD | {"options": {"review_max_fix_attempts": "3"}}, "/options/review_max_fix_attempts"),
        (GOOD | {"options": {"review_max_fix_attempts": True}}, "/options/review_max_fix_attempts"),
        (GOOD | {"options": {"economy": "no"}}, "/options/economy"),
        ([], ""),
        ("text", ""),
    ],
)
def test_bad_bodies_are_named_by_pointer(body: Any, pointer: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(body)
    assert [problem.pointer for problem in refused.value.problems] == [pointer]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"flow": "item", "source": {"titel": "x"}}, "unknown field; known: title, text, url, search_queries"),
        ({"flow": "item", "source": {"title": "x"}, "options": {"colour": 1}}, "unknown field"),
        ([], "Input should be an object"),
    ],
)
def test_a_refusal_says_what_would_be_taken(body: Any, detail: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(body)
    assert refused.value.problems[0].detail == detail


def test_our_own_words_come_without_a_prefix() -> None:
    with pytest.raises(BadInput) as refused:
        parse(GOOD | {"source": {}})
    assert [problem.detail for problem in refused.value.problems] == ["a title or a text is needed"]


def test_every_bad_field_is_told() -> None:
    with pytest.raises(BadInput) as refused:
        parse({"a": 1, "b": 2, "source": {}})
    assert {problem.pointer for problem in refused.value.problems} == {"/flow", "/a", "/b"}


def test_every_bad_field_is_told_of_every_part() -> None:
    body = {"flow": "item", "foo": 1, "source": {"title": 7, "colour": 1}, "metadata": {"n": 1e300}, "options": 5}
    with pytest.raises(BadInput) as refused:
        parse(body)
    told = [problem.pointer for problem in refused.value.problems]
    assert sorted(told) == ["/foo", "/metadata/n", "/options", "/source/colour", "/source/title"]
    with pytest.raises(BadInput) as refused:
        parse({"flow": "tune", "foo": 1, "source": {"colour": 1}})
    assert sorted(problem.pointer for problem in refused.value.problems) == ["/flow", "/foo"]


def test_metadata_of_64_kilobytes_is_taken_and_more_is_told_with_both_sizes() -> None:
    empty = len('{"n":""}')
    assert len(parse(GOOD | {"metadata": {"n": "x" * (65_536 - empty)}}).metadata["n"]) == 65_536 - empty
    with pytest.raises(BadInput, match=r"At most 65536 bytes of JSON, .*; these are 65537"):
        parse(GOOD | {"metadata": {"n": "x" * (65_537 - empty)}})


def test_a_refusal_names_twenty_fields_and_says_how_many_more() -> None:
    with pytest.raises(BadInput, match=r"/c19: unknown field.* and 5 more$") as refused:
        parse(GOOD | {f"c{number}": 1 for number in range(25)})
    assert len(refused.value.told()) == 20
    assert refused.value.summary == "25 fields are not right: the first 20 are named, and 5 more."


def test_a_refusal_repeats_little_of_what_was_sent() -> None:
    with pytest.raises(BadInput) as refused:
        parse({"flow": "x" * 3_000_000, "y" * 3_000_000: 1, "z" * 97 + "/": 1, "source": {}})
    told = {found.pointer: found.detail for found in refused.value.told("/runs/0")}
    assert told.keys() == {"/runs/0/flow", "/runs/0/" + "y" * 99 + "…", "/runs/0/" + "z" * 97 + "~1"}
    assert len(told["/runs/0/flow"]) < 200 and len(str(refused.value)) < 1000


def test_the_source_is_kept_as_given() -> None:
    source = {"text": "  Größe ½″ 😀  ", "search_queries": [" a "]}
    assert parse(GOOD | {"source": source}).source == source


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ({"title": " A  drill\nand more ", "text": "x"}, "A drill and more"),
        ({"title": " ", "text": "\n First  line \nsecond"}, "First line"),
        ({"text": "x" * 300}, "x" * 200),
    ],
)
def test_title(source: dict[str, str], title: str) -> None:
    assert title_of(source) == title


def test_the_digest_of_a_body_stays_when_options_come_along() -> None:
    """A key that was used before an upgrade is answered after it: this digest is of the first version."""
    one = parse({"flow": "item", "source": {"title": "Makita DHP484"}, "options": {"review": True}})
    of_the_first = "dff2d758f27bf1d91bd5f03d81ca657ab45c6a4d91fbad4dcffb930408ed2219"
    assert one.digest() == of_the_first
    assert one.digest() == parse(one.model_dump()).digest()
    assert one.digest() != one.model_copy(update={"options": Options(review=True, economy=False)}).digest()


def test_the_digest_knows_the_body_and_not_its_order() -> None:
    one = parse({"flow": "item", "source": {"title": "x", "text": "y"}})
    same = parse({"source": {"text": "y", "title": "x"}, "flow": "item"})
    assert one.digest() == same.digest() != parse(GOOD).digest()


def test_null_is_no_external_id() -> None:
    assert parse(GOOD | {"external_id": None}).external_id == ""
