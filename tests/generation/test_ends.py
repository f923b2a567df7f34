"""Long texts keep both ends, in bounded memory, and say how much was cut."""

import re

import pytest

from generation.ends import Ends, both_ends

LIMIT = 1000
LEFT_OUT = re.compile(r"\[… ([\d,]+) characters left out …\]")


def cut(text: str) -> int:
    found = LEFT_OUT.search(text)
    return int(found.group(1).replace(",", "")) if found else 0


@pytest.mark.parametrize("length", [0, 1, LIMIT - 1, LIMIT])
def test_what_fits_stays(length: int) -> None:
    assert both_ends("x" * length, LIMIT) == "x" * length


@pytest.mark.parametrize("length", [LIMIT + 1, 50_000, 2_000_000])
def test_what_does_not_keeps_both_ends_and_counts_the_rest(length: int) -> None:
    text = "begin" + "x" * (length - 8) + "end"
    kept = both_ends(text, LIMIT)
    assert len(kept) <= LIMIT and kept.startswith("beginx") and kept.endswith("xend")
    assert len(LEFT_OUT.sub("", kept)) - 2 + cut(kept) == length


@pytest.mark.parametrize("letter", ["x", "ß", "漢", "🙂"])
@pytest.mark.parametrize("length", [900, 1001, 40_000])
@pytest.mark.parametrize("chunk", [1, 7, 65_536])
def test_bytes_in_chunks_are_cut_as_the_whole_text_is(letter: str, length: int, chunk: int) -> None:
    text = f"begin{letter * length}end"
    data, ends = text.encode(), Ends(LIMIT)
    for at in range(0, len(data), chunk):
        ends.add(data[at : at + chunk])
    assert ends.text == both_ends(text, LIMIT)


def test_memory_is_bounded() -> None:
    ends = Ends(LIMIT, watch=b"marker")
    for _ in range(2000):
        ends.add(b"x" * 65_536)  # 128 MiB without one line's end
    assert len(ends._head) + len(ends._tail) + len(ends._line) < 20 * LIMIT
    assert cut(ends.text) > 131_000_000


def test_bytes_that_are_no_text_do_no_harm() -> None:
    ends = Ends(LIMIT)
    ends.add(b"\xff\xfe\x80" * 5000)
    assert len(ends.text) <= LIMIT and "�" in ends.text


@pytest.mark.parametrize("where", ["begin", "middle", "end"])
@pytest.mark.parametrize("chunk", [3, 65_536])
def test_the_watched_word_is_found_where_the_text_was_cut(where: str, chunk: int) -> None:
    noise = "noise\n" * 5000
    text = {"begin": f"a marker\n{noise}", "middle": f"{noise}a marker\n{noise}", "end": f"{noise}a marker"}[where]
    ends = Ends(LIMIT, watch=b"marker")
    for at in range(0, len(text), chunk):
        ends.add(text[at : at + chunk].encode())
    assert ends.marked == ["a marker"]
