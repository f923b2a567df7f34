"""Statistics: shares and first-pass acceptance, and what many subcategories cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from generation.models import Status
from learning.insights import acceptance_series, cards, stats
from learning.switches import switch_off
from learning.window import window
from tests.factories import RunFactory, SubcategoryFactory
from tests.learning.histories import history, many, reviewed, said, taken_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def subcategory() -> Any:
    return SubcategoryFactory()


def test_nothing_reviewed_is_no_percentage(subcategory: Any) -> None:
    found = stats("item", subcategory).as_json()
    assert found["signals"]["bad_format"] == {
        "window": None,
        "window_count": 0,
        "all_time": None,
        "all_time_count": 0,
    }
    assert found["first_pass_acceptance"] == {"window": None, "all_time": None, "accepted": 0, "reviewed": 0}


def test_shares_over_the_window_and_all_time(subcategory: Any) -> None:
    history(subcategory, [[{"bad_format": True}]] * 4)
    history(subcategory, [[{"missing_spec": ["A"]}, {"missing_spec": ["B"], "information_present": False}]] * 2)
    history(subcategory, [[{"information_present": True}]] * 8)
    RunFactory(subcategory=subcategory)
    RunFactory(subcategory=subcategory, status=Status.QUEUED)
    found = stats("item", subcategory).as_json()
    assert found["window"] == {"size": 10, "reviewed": 10}
    assert found["counts"] == {"reviewed": 14, "reviews": 16, "waiting": 15}
    signals = found["signals"]
    assert (signals["bad_format"]["window"], signals["bad_format"]["all_time"]) == (0.0, 28.6)
    assert (signals["missing_spec"]["window"], signals["missing_spec"]["all_time"]) == (20.0, 14.3)
    assert (signals["information_present"]["window"], signals["information_present"]["all_time"]) == (80.0, 57.1)
    assert (signals["information_present_low"]["window_count"]) == 2


# (the reviews of one run, whether it was accepted at its first pass; None where it has no first review)
FIRST = [
    ([{"decision": "approve"}], True),
    ([{"decision": "approve", "bad_format": True}], True),
    ([{"decision": "approve", "corrections": {"subcategory": {"from": "a", "to": "b"}}}], False),
    ([{"decision": "revise"}, {"decision": "approve", "round": 2}], False),
    ([{"decision": "reject"}], False),
    ([{"decision": "reject", "undone": "undone"}, {"decision": "approve"}], True),
    ([{"decision": "reject", "undone": "left_out"}, {"decision": "approve"}], False),
    ([{"decision": "reject", "source": "machine"}, {"decision": "approve"}], True),
    ([{"decision": "approve"}, {"decision": "reject"}], True),
    ([{"decision": "approve", "undone": "undone"}], None),
    ([], None),
]


@pytest.mark.parametrize(("reviews", "accepted"), FIRST)
def test_first_pass_acceptance(subcategory: Any, reviews: list[dict[str, Any]], accepted: bool | None) -> None:
    run = RunFactory(subcategory=subcategory)
    for review in reviews:
        event = said(run, **{key: value for key, value in review.items() if key != "undone"})
        if "undone" in review:
            taken_back(event, review["undone"])
    found = stats("item", subcategory)
    expected = (0, 0) if accepted is None else (int(accepted), 1)
    assert (found.accepted.count, found.accepted.of) == expected
    assert (found.accepted_in_window.count, found.accepted_in_window.of) == expected
    assert [point.accepted for point in acceptance_series("item", subcategory)] == (
        [] if accepted is None else [accepted]
    )


def test_the_series_is_a_share_over_ten_at_most_and_sixty_long(subcategory: Any) -> None:
    history(subcategory, [[{"decision": "reject"}]] * 55)
    history(subcategory, [[{"decision": "approve"}]] * 10)
    points = acceptance_series("item", subcategory)
    assert len(points) == 60
    assert [(point.share, point.over) for point in (points[0], points[49], points[54], points[-1])] == [
        (0.0, 1),
        (0.0, 10),
        (50.0, 10),
        (100.0, 10),
    ]
    assert [point.at for point in points] == sorted(point.at for point in points)


def test_other_subcategories_and_flows_stay_out(subcategory: Any) -> None:
    reviewed(SubcategoryFactory(), {"bad_format": True})
    reviewed(subcategory, {"bad_format": True}, flow="editorial")
    assert stats("item", subcategory).reviewed == 0
    assert acceptance_series("item", subcategory) == []


def test_cards(subcategory: Any) -> None:
    empty, waiting = SubcategoryFactory(), SubcategoryFactory()
    history(subcategory, [[{"bad_format": True}]] * 3)
    RunFactory(subcategory=waiting)
    switch_off(waiting.pk)
    found = {card.subcategory: card for card in cards()}
    assert set(found) == {subcategory, waiting}
    assert found[subcategory].triggers.fired == ("bad_format_trigger",)
    assert (found[subcategory].off, found[waiting].off) == (False, True)
    assert {card.subcategory for card in cards("item")} == {subcategory, waiting, empty}


def test_cards_cost_the_same_for_ten_and_a_hundred(django_assert_num_queries: Any) -> None:
    for of in SubcategoryFactory.create_batch(10):
        many(of, 2, 1, bad_format=True)
    with django_assert_num_queries(9):
        assert len(cards()) == 10
    for of in SubcategoryFactory.create_batch(90):
        many(of, 2, 1)
    with django_assert_num_queries(9):
        assert len(cards()) == 100


def test_a_first_review_that_was_written_late_stays_the_first(subcategory: Any) -> None:
    now = timezone.now()
    run = reviewed(subcategory, {"decision": "approve", "round": 2, "created_at": now})
    said(run, decision="revise", bad_format=True, created_at=now - timedelta(minutes=5))
    assert stats("item", subcategory).accepted.count == 0
    assert [point.accepted for point in acceptance_series("item", subcategory)] == [False]
    [seen] = window("item", subcategory.pk).runs
    assert (seen.decision, seen.last_decision, seen.reviewed_at) == ("revise", "approve", now)
