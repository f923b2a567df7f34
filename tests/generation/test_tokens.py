"""The upper bound of tokens: no byte-level vocabulary, however poor, makes more."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.tokens import tokens_at_most


@pytest.mark.parametrize(
    ("text", "bound"),
    [("", 0), ("word", 5), ("½ ö", 9), ("重さ", 7), ("👍", 5), ("ﷺ", 34), ("ﬁ", 4), ("\ud800", 4)],
)
def test_values(text: str, bound: int) -> None:
    assert tokens_at_most(text) == bound


def poorest(text: str) -> int:
    """Tokens of a vocabulary that has no words at all: the space before the text, and a token for each byte."""
    return 1 + len(text.encode("utf-8", "surrogatepass"))


@given(st.text(min_size=1))
def test_the_poorest_vocabulary_stays_below_it_as_written_and_normalised(text: str) -> None:
    assert poorest(text) <= tokens_at_most(text)
    assert poorest(unicodedata.normalize("NFKC", text)) <= tokens_at_most(text)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_parts_bound_what_they_are_joined_to(parts: list[str]) -> None:
    assert tokens_at_most("\n".join(parts)) <= sum(map(tokens_at_most, parts))
