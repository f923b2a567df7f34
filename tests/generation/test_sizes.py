"""How large a prompt is and what of it is cached: as it is sent, or by the template where nothing is filled."""

import pytest

from generation.assembly import Assembled
from generation.guidance import Fragment
from generation.placeholders import Segment
from generation.sizes import Cut, cut_of, measure
from generation.tokens import tokens_about

GUIDANCE = Fragment("EXTRACTION_REVIEW", "g" * 40, "bad_format_trigger")


def test_parts_of_a_prompt() -> None:
    user = [
        Segment("a" * 80),
        Segment("g" * 40, "EXTRACTION_REVIEW", GUIDANCE),
        Segment("s" * 20, "SOURCE"),
        Segment("b"),
    ]
    found = measure(Assembled([Segment("y" * 40)], user))
    assert (found.system, found.shared, found.own, found.injected) == (10, 30, 6, 10)
    assert (found.whole, found.unguided, found.cached, found.cached_percent) == (46, 36, 40, 87)
    assert found.at_most >= 40 + 141


def test_it_is_cut_where_requests_are_cut_for_the_cache() -> None:
    """An empty draft before the source ends nothing."""
    user = [Segment("a" * 40), Segment("", "FEEDBACK"), Segment("b" * 40), Segment("s", "SOURCE"), Segment("c")]
    assembled = Assembled([], user)
    assert measure(assembled).shared == tokens_about(assembled.stable) == 20


def test_without_a_run_it_is_cut_at_the_first_placeholder_of_one() -> None:
    assert measure(Assembled([], [Segment("a" * 40), Segment("", "SOURCE"), Segment("b" * 8)])).shared == 10


def test_the_bar_is_whole_and_an_empty_prompt_has_none() -> None:
    bars = measure(Assembled([Segment("y" * 9)], [Segment("a" * 50), Segment("s" * 7, "SOURCE")])).bars
    assert sum(bar.width for bar in bars) == pytest.approx(100, abs=0.2)
    assert [bar.kind for bar in bars] == ["system", "shared", "own"]
    empty = measure(Assembled([], []))
    assert (empty.whole, empty.cached_percent, [bar.width for bar in empty.bars]) == (0, 0, [0, 0, 0])


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("plain", None),
        ("<<SUBCATEGORY>> <<EXTRACTION_REVIEW>>", None),
        ("a\nb <<SOURCE>>", Cut("SOURCE", 2, 3)),
        ("<<DRAFT>> <<SOURCE>>", Cut("DRAFT", 1, 1)),
    ],
)
def test_where_it_ends(text: str, cut: Cut | None) -> None:
    assert cut_of(text) == cut


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("öö", 1), ("\ud800", 1)]
)
def test_the_rule_of_thumb(text: str, tokens: int) -> None:
    assert tokens_about(text) == tokens
