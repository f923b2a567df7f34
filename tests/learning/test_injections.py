"""Fragments are appended in order, once, and dropped whole where the budget is too small."""

import pytest

from learning.injections import Injections, bound


def built(*given: tuple[str, str, int]) -> Injections:
    into = Injections()
    for placeholder, text, rank in given:
        into.inject_conditionally(True, placeholder, text, reason=text, rank=rank)
    return into


def test_one_condition_may_say_several_things_and_several_the_same_placeholder() -> None:
    kept, dropped = built(("A", "one", 0), ("B", "two", 0), ("A", "three", 0)).within(100, 4000)
    assert [(fragment.placeholder, fragment.text) for fragment in kept] == [
        ("A", "one"),
        ("B", "two"),
        ("A", "three"),
    ]
    assert dropped == ()


@pytest.mark.parametrize(("condition", "text"), [(False, "text"), (True, ""), (True, "  \n")])
def test_no_condition_or_no_text_is_no_fragment(condition: bool, text: str) -> None:
    into = Injections()
    into.inject_conditionally(condition, "A", text, reason="x")
    assert into.within(100, 4000) == ((), ())


def test_the_same_text_is_said_once_with_all_its_evidence() -> None:
    into = Injections()
    into.inject_conditionally(True, "A", "text", reason="first", evidence=(3, 1))
    into.inject_conditionally(True, "A", "text", reason="second", evidence=(2, 3))
    into.inject_conditionally(True, "B", "text", reason="third", evidence=(9,))
    kept, _ = into.within(100, 4000)
    assert [(f.placeholder, f.reason, f.evidence) for f in kept] == [
        ("A", "first", (1, 2, 3)),
        ("B", "third", (9,)),
    ]


@pytest.mark.parametrize(
    ("total", "left"),
    [
        (16, ["aaaa", "bbbb", "cccc"]),
        (14, ["aaaa", "bbbb", "cccc"]),
        (13, ["aaaa", "cccc"]),
        (8, ["cccc"]),
        (3, []),
    ],
)
def test_the_highest_rank_gives_way_first_and_whole(total: int, left: list[str]) -> None:
    kept, dropped = built(("A", "aaaa", 5), ("A", "bbbb", 9), ("A", "cccc", 0)).within(total, 4000)
    assert [fragment.text for fragment in kept] == left
    assert len(kept) + len(dropped) == 3
    assert len("\n".join(fragment.text for fragment in kept)) <= total


def test_a_text_whose_tokens_do_not_fit_gives_way_though_its_characters_do() -> None:
    kept, dropped = built(("A", "重" * 30, 5), ("A", "plain", 0)).within(100, 60)
    assert [fragment.text for fragment in kept] == ["plain"]
    assert [fragment.text for fragment in dropped] == ["重" * 30]
    assert bound(kept) <= 60 < bound((*kept, *dropped))
