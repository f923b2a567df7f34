"""Placeholders: what is refused and how it is told, and the one pass that fills them."""

import pytest

from generation.errors import BadInput
from generation.placeholders import Segment, check, fill, known, missing, text_of


@pytest.mark.parametrize(
    "text",
    ["plain", "<<SOURCE>>", "<<SOURCE>><<DRAFT>>", "a <b> > c", "{{SOURCE}}", "<<EXTRACTION_REVIEW>>", "x >> y"],
)
def test_good_texts(text: str) -> None:
    assert check("item", "extraction", text, "/user") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<<SOURC>>", ["unknown placeholder <<SOURC>>", "line 1, column 1", "did you mean <<SOURCE>>?"]),
        ("a\nb <<EXTRACTON_REVIEW>>", ["line 2, column 3", "did you mean <<EXTRACTION_REVIEW>>?"]),
        ("<<SUPERVISOR_REVIEW>>", ["unknown placeholder"]),  # another stage's
        ("<<WEATHER>>", ["unknown placeholder <<WEATHER>>"]),
        ("<< SOURCE >>", ["malformed", "<<SOURCE>>?"]),
        ("<<source>>", ["malformed", "<<SOURCE>>?"]),
        ("<<SOURCE>", ["malformed", "<<SOURCE>>?"]),
        ("<SOURCE>>", ["malformed", "line 1, column 1"]),
        ("<<<SOURCE>>>", ["malformed"]),
        ("<<EXAMPLE-ITEM>>", ["malformed", "<<EXAMPLE_ITEM>>?"]),
        ("<<SOURCE", ["malformed"]),
        ("<<>>", ["malformed"]),
    ],
)
def test_bad_ones_are_named(text: str, says: list[str]) -> None:
    problems = check("item", "extraction", text, "/user")
    assert len(problems) == 1 and problems[0].pointer == "/user"
    assert all(word in problems[0].detail for word in says)


def test_every_bad_one_is_told() -> None:
    assert len(check("item", "extraction", "<<A>> <<B>> <<SOURCE>>", "/user")) == 2


def test_unknown_stage_is_refused() -> None:
    with pytest.raises(BadInput, match="no stage 'judge'"):
        known("item", "judge")


def test_missing_required() -> None:
    assert missing("item", "extraction", "no source here") == ["SOURCE"]
    assert missing("item", "extraction", "<<SOURCE>>") == []


def test_one_pass_fills_and_never_looks_again() -> None:
    values = {"SOURCE": [Segment("<<DRAFT>>")], "DRAFT": [Segment("<<SOURCE>>")]}
    assert text_of(fill("a <<SOURCE>> b <<DRAFT>> c", values)) == "a <<DRAFT>> b <<SOURCE>> c"


def test_empty_value_leaves_its_place() -> None:
    segments = fill("a<<DRAFT>>b", {"DRAFT": []})
    assert [(s.text, s.placeholder) for s in segments] == [("a", ""), ("", "DRAFT"), ("b", "")]


def test_unfillable_placeholder_is_named() -> None:
    with pytest.raises(BadInput, match="<<NOPE>>"):
        fill("<<NOPE>>", {})
