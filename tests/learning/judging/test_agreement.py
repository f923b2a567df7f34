"""What counts of a criterion say, and how often they say too much."""

from random import Random

import pytest

from learning.judging.agreement import Agreement
from learning.judging.counting import PLACES


def agreement(**counts: int) -> Agreement:
    return Agreement(dict.fromkeys(PLACES, 0) | counts)


MIXED = agreement(
    passed_good=40, passed_bad=9, failed_good=6, failed_bad=45, passed_unsaid=3, failed_unsaid=2,
    unavailable_good=1, unavailable_bad=4, unavailable_unsaid=2,
)  # fmt: skip


def test_the_figures_of_a_table() -> None:
    assert (MIXED.compared, MIXED.unsaid, MIXED.unavailable, MIXED.reviews) == (100, 5, 7, 112)
    rates = {name: (getattr(MIXED, name).count, getattr(MIXED, name).of) for name in (
        "base", "failed", "agreed", "always", "caught", "held", "right",
    )}  # fmt: skip
    assert rates == {
        "base": (54, 100), "failed": (51, 100), "agreed": (85, 100), "always": (46, 100), "caught": (45, 54),
        "held": (6, 46), "right": (45, 51),
    }  # fmt: skip
    assert (MIXED.false_passes, MIXED.false_fails) == (9, 6)
    assert MIXED.kappa is not None and round(MIXED.kappa.value, 4) == 0.6995 and not MIXED.reason


@pytest.mark.parametrize(
    ("counts", "reason", "beats"),
    [
        ({}, "nothing to compare yet", None),
        ({"unavailable_bad": 5}, "nothing to compare yet", None),
        ({"passed_good": 50, "passed_bad": 10}, "the judge said the same of all", None),
        ({"passed_good": 50, "failed_good": 10}, "people said the same of all", False),
        ({"passed_good": 50, "failed_bad": 2, "passed_bad": 1}, "", None),  # two of two may be chance
        ({"passed_good": 50, "failed_bad": 20, "failed_good": 5}, "", True),
        ({"passed_good": 50, "failed_bad": 5, "failed_good": 20}, "", False),
    ],
)
def test_where_there_is_little_to_say(counts: dict[str, int], reason: str, beats: bool | None) -> None:
    found = agreement(**counts)
    assert str(found.reason) == reason and found.beats is beats


@pytest.mark.parametrize("reviews", [30, 100, 400])
def test_a_judge_that_is_as_good_as_passing_all_is_seldom_told_otherwise(reviews: int) -> None:
    """1,000 judges that are right in half of what they fail: a wrong word about one in twenty, whichever it is."""
    random, told = Random(3), 0
    shares = {"passed_good": 0.5, "passed_bad": 0.1, "failed_good": 0.2, "failed_bad": 0.2}
    for _ in range(1000):
        drawn = random.choices(list(shares), list(shares.values()), k=reviews)
        told += agreement(**{place: drawn.count(place) for place in shares}).beats is not None
    assert told <= 65
