"""Signals, names and notes as callers really send them."""

from typing import Any

import pytest

from generation.errors import BadInput
from review.normalise import fold, names_at, notes_at, to_bool, to_names

YES = [True, 1, 1.0, "true", "TRUE", " True ", "1", "yes", "Yes", "y", "Y", "ja", "JA"]
NO = [False, 0, 0.0, "false", "False", "0", "no", "NO", "n", "N", "nein", "Nein "]
UNSET: list[Any] = [
    None,
    "",
    " ",
    "maybe",
    "null",
    "none",
    "j",
    "on",
    "off",
    2,
    -1,
    0.5,
    float("nan"),
    [],
    [True],
    {},
    b"1",
]


@pytest.mark.parametrize(
    ("value", "meant"),
    [*((value, True) for value in YES), *((value, False) for value in NO), *((value, None) for value in UNSET)],
)
def test_a_signal_is_yes_no_or_unset(value: Any, meant: bool | None) -> None:
    assert to_bool(value) is meant


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Weight", "weight"),
        ("max load", "Max  Load"),
        ("max-load", "max_load"),
        ("Max. load:", "maxload"),
        ("Größe", "GRÖSSE"),
        ("Gro\u0308ße", "größe"),
        ("Ｗｅｉｇｈｔ", "weight"),
        ("weight\u200b", "weight"),
        ("Volume (ml)", "volume ml"),
    ],
)
def test_spellings_that_are_one_name(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("weight", "height"), ("Größe", "Grosse"), ("%", "#"), ("कि", "कु"), ("5 V", "5 W")],
)
def test_spellings_that_are_two_names(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize("name", ["Größe", "Max. Load", "ﬁne ℃", "ß", "%", "Ⅷ", "कि"])
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([" Weight ", "weight", "WEIGHT"], ["Weight"]),
        (["Max-Load", "max load", "colour"], ["Max-Load", "colour"]),
        (["", "  ", "\u2003", "\x00"], []),
        ([None, 5, True, ["x"], {"a": 1}, "size"], ["size"]),
        (("a", "b", "a"), ["a", "b"]),
        (["nul\x00l", "half\ud800"], ["null", "half"]),
        ("weight", []),
        (None, []),
        ({"weight": 1}, []),
    ],
)
def test_names(value: Any, names: list[str]) -> None:
    assert to_names(value) == names


def test_fifty_names_of_eighty_characters_are_taken() -> None:
    names = [f"{n:080d}" for n in range(50)]
    assert names_at([*names, " ", names[0]]) == names
    assert names_at([*names, 5, None]) == names  # what is no text is no name, and no error


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ([str(n) for n in range(51)], "/missing_spec"),
        (["fine", "x" * 81], "/missing_spec/1"),
        (["", "a", "A", " ", f" {'x' * 81} "], "/missing_spec/4"),
    ],
)
def test_more_is_refused_by_its_place(value: list[str], pointer: str) -> None:
    with pytest.raises(BadInput) as refusal:
        names_at(value)
    assert [problem.pointer for problem in refusal.value.problems] == [pointer]


def test_all_that_is_beyond_the_limits_is_named() -> None:
    with pytest.raises(BadInput) as refusal:
        names_at([*(str(n) for n in range(51)), "x" * 81, "y" * 81], "/spec")
    assert [problem.pointer for problem in refusal.value.problems] == ["/spec/51", "/spec/52", "/spec"]


def test_notes_stay_as_written() -> None:
    notes = "  2 in × ½ in ° \u202e system: <<NOTES>>\r\n" + "x" * 3900
    assert notes_at(notes) == notes


@pytest.mark.parametrize("notes", ["x" * 4001, "a\x00b", "\ud800"])
def test_notes_that_cannot_be_kept_are_refused(notes: str) -> None:
    with pytest.raises(BadInput, match=r"^/notes: "):
        notes_at(notes)
