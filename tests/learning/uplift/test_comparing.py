"""Verdicts in words, and what is missing where there is none yet."""

from decimal import Decimal

import pytest

from learning.uplift.comparing import Comparison, Counted
from learning.uplift.reading import NOTHING, Place


def compared(a: int, n: int, b: int, m: int, *, more: bool = True, share: float = 0.1) -> Comparison:
    return Comparison(Counted(a, n), Counted(b, m), share, more)


@pytest.mark.parametrize(
    ("one", "verdict", "words"),
    [
        (compared(855, 900, 60, 100), "helps", "Helps"),
        (compared(60, 900, 60, 100), "harms", "Harms"),
        (compared(45, 900, 40, 100, more=False), "helps", "Helps"),
        (compared(450, 900, 5, 100, more=False), "harms", "Harms"),
        (compared(9_000, 18_000, 1_000, 2_000), "none", "No difference seen: less than 10 points"),
        (compared(0, 0, 0, 0), "few", "Not enough yet: no run of the holdout was reviewed"),
        (compared(9, 10, 0, 0), "few", "Not enough yet: no run of the holdout was reviewed"),
        (compared(0, 0, 1, 1), "few", "Not enough yet: no run with guidance was reviewed"),
        (compared(57, 60, 4, 7), "few", "Not enough yet: about 74 reviews more, 7 of them of the holdout"),
        (compared(30, 60, 3, 6), "few", "Not enough yet: about 6100 reviews would show a difference of 10 points"),
    ],
)
def test_what_is_said(one: Comparison, verdict: str, words: str) -> None:
    assert (one.verdict, one.words) == (verdict, words)


@pytest.mark.parametrize(
    ("accepted", "raised", "verdict"), [((95, 60), (5, 40), "helps"), ((60, 95), (40, 5), "harms")]
)
def test_more_accepted_runs_are_better_and_fewer_mistakes(
    accepted: tuple[int, int], raised: tuple[int, int], verdict: str
) -> None:
    trigger = "bad_format_trigger"
    guided, control = (
        {**NOTHING, "first": 100, "accepted": good, f"{trigger}.on": 100, f"{trigger}.on_raised": bad}
        for good, bad in zip(accepted, raised, strict=True)
    )
    place = Place(Decimal("0.5"), guided, control)
    assert (place.accepted.verdict, place.raised(trigger).verdict) == (verdict, verdict)


def test_what_was_foreseen_comes_true_where_the_rates_stay() -> None:
    one = compared(57, 60, 4, 7)
    more = one.reviews_needed
    assert more is not None
    guided, control = round(0.9 * more), round(0.1 * more) + 1
    later = compared(57 + round(guided * 57 / 60), 60 + guided, 4 + int(control * 4 / 7), 7 + control)
    assert later.verdict == "helps"


def test_callers_get_whole_figures_and_nulls() -> None:
    nothing = compared(0, 0, 0, 0).as_json()
    assert nothing["difference"] is None and nothing["reviews_needed"] is None
    assert (nothing["low"], nothing["high"], nothing["e_value"]) == (-100, 100, 1)
    helps = compared(855, 900, 60, 100).as_json()
    assert helps["difference"] == 35 and helps["reviews_needed"] is None and helps["low"] > 0
