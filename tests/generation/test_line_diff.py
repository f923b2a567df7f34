"""Two texts line by line, with the words marked that differ."""

import pytest

from generation.line_diff import rows


def shown(old: str, new: str) -> list[str]:
    """Each changed line, its marked words in brackets."""
    return [
        row.kind[0] + " " + "".join(f"[{part.text}]" if part.kind != "same" else part.text for part in row.words)
        for row in rows(old, new)
        if row.kind in ("removed", "added")
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Be exact.", "Be very exact.", ["r Be exact.", "a Be[ very] exact."]),
        ("one\nGive the unit.\nend", "one\nGive its unit.\nend", ["r Give [the] unit.", "a Give [its] unit."]),
        # wrapped anew: the words are the same, only line ends differ
        ("one two three four", "one two\nthree four", ["r one two[ ]three four", "a one two", "a three four"]),
        # nothing in common: whole lines, no words
        ("apples", "Räder", ["r ", "a "]),
        # a line that is new has no counterpart
        ("a", "a\nbrand new", ["a "]),
        # a placeholder that was mended
        ("see <<SOURC>>", "see <<SOURCE>>", ["r see <<[SOURC]>>", "a see <<[SOURCE]>>"]),
    ],
)
def test_words_are_marked(old: str, new: str, expected: list[str]) -> None:
    assert shown(old, new) == expected


def test_both_sides_are_whole() -> None:
    old, new = "a b c\nd e f\ng h i\n\nz", "a b x\nd f\ng h i j\nk\n\nz"
    found = rows(old, new)
    for side, text, kind in (("old", old, "removed"), ("new", new, "added")):
        lines = {getattr(row, side): row for row in found if getattr(row, side)}
        assert "\n".join(lines[number].text for number in sorted(lines)) == text
        marked = [row for row in lines.values() if row.kind == kind and row.words]
        assert marked and all("".join(part.text for part in row.words) == row.text for row in marked)


def test_a_last_line_end_is_a_difference() -> None:
    assert [row.kind for row in rows("a", "a\n")] == ["gap"]
