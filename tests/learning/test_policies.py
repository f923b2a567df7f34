"""Policies: the level of evidence by hand, and `steady` over real events beside a walk through them all."""

from datetime import UTC, datetime, timedelta
from math import log
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from generation.models import Run, Subcategory
from learning.acts import Scene, moves
from learning.backtest import Then, reproduced, stored
from learning.policies import choosing
from learning.policies.evidence import BOUNDS, follow, head_start, odds
from learning.replay import Act, Past
from learning.rules import rules
from learning.study.deciders import ByWindow, Decider, Steady
from learning.triggers import MISSING_SPEC, MissingField, Trigger, Triggers, decide, read
from learning.window import Missing, Window, WindowRun, window, windows
from tests.factories import SubcategoryFactory
from tests.learning.histories import many, reviewed, taken_back

NOW = datetime(2026, 3, 1, tzinfo=UTC)
UP, DOWN = log(0.38 / 0.12), log(0.62 / 0.88)
BAD = {"bad_format": True}


@pytest.mark.parametrize(
    ("said", "on", "value", "since"),
    [
        ("", False, 0.0, 0),
        ("0000", False, 0.0, 4),
        ("1", False, UP, 0),
        ("0011", False, 2 * UP, 2),
        ("1111", False, 4 * UP, 0),
        ("11111", True, BOUNDS.enter, 0),  # five in a row; what is above enough is not kept
        ("1111100000000", True, BOUNDS.enter + 8 * DOWN, 0),
        ("11111000000000", False, BOUNDS.enter + 9 * DOWN, 0),  # nine clean ones let go
        ("111110000000001", False, BOUNDS.enter + 9 * DOWN + UP, 0),
        ("11111" + "0" * 30, False, 0.0, 35),
    ],
)
def test_the_level_after_so_many_unguided_runs(said: str, on: bool, value: float, since: int) -> None:
    found = follow([one == "1" for one in said], odds(3))
    assert (found.on, found.since) == (on, since)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize("policy", ["window", "steady"])
def test_evidence_stands_oldest_first_whatever_order_its_runs_have(policy: str) -> None:
    events = (64, 1, 33, 2, 65)  # a set of these is in another order
    runs = [
        WindowRun(
            *(UUID(int=event), "", NOW, "approve", "approve", "", (event,)),
            flags=BAD,
            evidence={"bad_format": (event,)},
            missing=(Missing("weight", ("weight",), (event,)),),
        )
        for event in events
    ]
    found = decide(Window(policy=policy).over(runs))
    said: list[Trigger | MissingField] = [found["bad_format_trigger"], found[MISSING_SPEC]]
    said += found[MISSING_SPEC].fields
    assert [(one.fired, one.evidence) for one in said] == [(True, tuple(sorted(events)))] * 3


@pytest.mark.parametrize("of_ten", range(1, 11))
def test_every_threshold_has_odds_that_can_tell(of_ten: int) -> None:
    weigh = odds(of_ten)
    assert weigh.clear < 0 < weigh.raised < BOUNDS.enter - BOUNDS.leave
    assert follow([True] * 20, weigh).on and not follow([False] * 20, weigh).on


@pytest.mark.parametrize(
    ("raised", "of", "start"),
    [
        (0, 0, 0.0),
        (0, 50, 0.0),
        (1, 10, 0.0),  # rarer than what speaks for it
        (20, 50, 5 * (0.4 * UP + 0.6 * DOWN)),
        (2, 2, 2 * UP),  # fewer than its weight
        (50, 50, BOUNDS.enter - UP / 2),  # never enough by itself
    ],
)
def test_what_is_borrowed_weighs_five_reviews_at_most(raised: int, of: int, start: float) -> None:
    assert head_start(raised, of, odds(3)) == pytest.approx(start)


def triggers(place: Subcategory) -> Triggers:
    return decide(window("item", place.pk))


@pytest.fixture
def drills(db: None) -> Subcategory:
    choosing.choose("steady", by=None, why="test")
    found: Subcategory = SubcategoryFactory()
    return found


def test_runs_that_were_guided_say_nothing(drills: Subcategory) -> None:
    for _ in range(5):
        reviewed(drills, BAD)
    assert triggers(drills)["bad_format_trigger"].fired
    for _ in range(30):
        reviewed(drills, {}, guided_by=["bad_format_trigger"])
    still = triggers(drills)["bad_format_trigger"]
    assert (still.fired, still.count, still.gauge and still.gauge.level) == (True, 0, BOUNDS.enter)
    for _ in range(9):
        reviewed(drills, {}, arm="control")
    assert not triggers(drills)["bad_format_trigger"].fired


def test_its_evidence_is_what_lifted_it(drills: Subcategory) -> None:
    old = reviewed(drills, BAD)
    for _ in range(10):
        reviewed(drills, {})
    behind = [reviewed(drills, BAD) for _ in range(5)]
    guided = reviewed(drills, BAD, guided_by=["bad_format_trigger"])
    assert triggers(drills)["bad_format_trigger"].evidence == tuple(run.review_events.get().pk for run in behind)
    assert old.pk != guided.pk


def test_a_review_taken_back_lowers_the_level(drills: Subcategory) -> None:
    runs = [reviewed(drills, BAD) for _ in range(5)]
    taken_back(runs[2].review_events.get(), "left_out")
    found = triggers(drills)["bad_format_trigger"]
    assert (found.fired, found.gauge and found.gauge.level) == (False, round(4 * UP, 2))


def test_each_field_has_a_level_of_its_own(drills: Subcategory) -> None:
    for number in range(5):
        reviewed(drills, {"missing_spec": ["Gewicht", "colour"] if number else ["weight"]})
    found = triggers(drills)[MISSING_SPEC]
    assert [(field.name, field.count, field.fired) for field in found.fields] == [
        ("weight", 5, True),
        ("colour", 4, False),
    ]
    assert found.gauge and found.gauge.level == BOUNDS.enter  # of the field that is nearest
    for _ in range(30):  # were they counted, it would let go
        reviewed(drills, {}, guided_by=["missing_spec_trigger:Gewicht"])
    assert len(window("item", drills.pk).basis()["events"]) == 35  # all that it looked at, to find the same again
    fields = {field.name: field for field in triggers(drills)[MISSING_SPEC].fields}
    assert fields["weight"].fired and fields["weight"].count == 0 and "colour" not in fields
    assert triggers(drills).speaking == ("missing_spec_trigger:weight",)


def test_what_is_off_has_the_evidence_of_the_ten(drills: Subcategory) -> None:
    event = reviewed(drills, {"missing_spec": ["colour"], **BAD}).review_events.get()
    for _ in range(7):
        reviewed(drills, {})
    found = triggers(drills)
    said: list[Trigger | MissingField] = [found["bad_format_trigger"], *found[MISSING_SPEC].fields]
    assert [one.gauge and one.gauge.level for one in said] == [0, 0]
    assert found[MISSING_SPEC].evidence == ()  # which is that of the fields that are on
    assert [(one.fired, one.evidence) for one in said] == [(False, (event.pk,))] * 2


def test_what_callers_are_told_beside_the_window(drills: Subcategory) -> None:
    for _ in range(5):
        reviewed(drills, BAD)
    told = triggers(drills).as_json()["triggers"]
    assert told["bad_format_trigger"] == {
        "fired": True, "count": 5, "threshold": 2, "policy": "steady", "level": 5.6, "bound": 2.6,
    }  # fmt: skip
    assert told["missing_spec_trigger"]["bound"] == told["wrong_information_trigger"]["bound"] == 5.6
    choosing.choose("window", by=None, why="back")
    assert triggers(drills).as_json()["triggers"]["bad_format_trigger"] == {
        "fired": True, "count": 5, "threshold": 2,
    }  # fmt: skip


def test_one_query_however_long_the_history_and_the_whole_history_agrees(
    drills: Subcategory, django_assert_num_queries: Any
) -> None:
    """420 runs, more than are looked at; the walk through all of them sees what the one query sees."""
    chance = Random(4)
    life = [
        ({"bad_format": chance.random() < 0.3}, ["bad_format_trigger"] if chance.random() < 0.8 else [])
        for _ in range(420)
    ]
    for review, guided_by in life:
        reviewed(drills, review, guided_by=guided_by)
    read_by = rules("item", [drills.pk])
    with django_assert_num_queries(1):
        seen = window("item", drills.pk, read_by)
    past = Past(read_by.synonyms)
    for act in Scene("item", drills, moves("item")).acts():
        past.apply(act)
    walked = past.window(Window(flow="item", subcategory_id=drills.pk, policy="steady"))
    assert [run.events for run in seen.past] == [run.events for run in walked.past]
    assert [run.guided for run in seen.past] == [run.guided for run in walked.past]
    unguided = [run for run in seen.past if not run.guided]
    assert len(unguided) == min(100, sum(not guided for _, guided in life)) and len(seen.past) > 150
    assert decide(seen).as_json() == decide(walked).as_json()


def test_the_look_back_walks_its_indexes(drills: Subcategory) -> None:
    for _ in range(3):
        reviewed(drills, BAD)
    read_by = rules("item", [drills.pk])
    with CaptureQueriesContext(connection) as asked:
        window("item", drills.pk, read_by)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("EXPLAIN " + asked.captured_queries[0]["sql"])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "run_window_unguided" in plan and "using run_window on" in plan
    assert plan.count("Limit") == 2


@pytest.mark.parametrize("policy", ["window", "steady"])
@pytest.mark.parametrize("seed", range(3))
def test_the_study_decides_as_the_product_does(drills: Subcategory, policy: str, seed: int) -> None:
    """Both over the same 260 reviews: the study's short way, and the triggers of real windows."""
    chance = Random(seed)
    decider: Decider = ByWindow() if policy == "window" else Steady()
    past = Past({})
    rate = 0.4
    for number in range(260):
        guided = decider.on and chance.random() > 0.1
        raised = chance.random() < (0.05 if guided else rate)
        decider.said(raised, not guided)
        past.apply(_act(number, raised, guided))
        found = decide(past.window(Window(policy=policy)))["bad_format_trigger"]
        assert found.fired is decider.on


def _act(number: int, raised: bool, guided: bool) -> Act:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    said = {
        "id": number + 1, "run_id": UUID(int=number), "created_at": at, "decision": "approve",
        "bad_format": raised, "missing_spec": [],
        "information_present": None, "wrong_information": None, "wrong_physical_dimensions": None,
        "guided_by": ["bad_format_trigger"] if guided else [],
    }  # fmt: skip
    return Act(at, UUID(int=number), said)


def test_the_state_is_read_with_what_it_came_from(drills: Subcategory) -> None:
    run: Run = reviewed(drills, BAD)
    basis = read(window("item", drills.pk)).basis
    assert basis is not None
    assert (basis["policy"], basis["events"]) == ("steady", [[run.review_events.get().pk]])


def test_a_thin_subcategory_borrows_from_its_category_and_says_so(drills: Subcategory) -> None:
    saws = SubcategoryFactory(category=drills.category)
    elsewhere = SubcategoryFactory()
    for _ in range(8):
        reviewed(saws, BAD)
        reviewed(saws, BAD, guided_by=["bad_format_trigger"])  # says nothing of what it would be without
        reviewed(elsewhere, {"wrong_information": True})
    for _ in range(2):
        reviewed(saws, {})
    seen = window("item", drills.pk)
    assert seen.loan.rates == {"bad_format_trigger": (8, 10)}
    start = 5 * (0.8 * UP + 0.2 * DOWN)
    found = decide(seen)["bad_format_trigger"]
    assert (found.fired, found.as_json()["level"]) == (False, round(start, 2))
    reviewed(drills, BAD)
    reviewed(drills, BAD)
    told = read(window("item", drills.pk)).state()
    assert told["triggers"]["bad_format_trigger"] == {
        "fired": True, "count": 2, "threshold": 1, "policy": "steady", "level": 5.6, "bound": 2.6,
        "borrowed": round(5.6 - 2 * UP, 2), "borrowed_from": drills.category.name,
    }  # fmt: skip
    assert reproduced(told, Then("item")).as_json() == stored(told)


def test_what_is_borrowed_is_read_in_one_query_for_all(
    django_assert_num_queries: Any, drills: Subcategory
) -> None:
    places = [drills, *SubcategoryFactory.create_batch(12, category=drills.category)]
    for place in places:
        reviewed(place, BAD, {"missing_spec": ["weight"]})
    with django_assert_num_queries(3):
        found = windows("item", [place.pk for place in places])
    lent = {"bad_format_trigger": (10, 10), "missing_spec_trigger:weight": (10, 10)}
    assert [found[place.pk].loan.rates for place in places] == [lent] * 13


def test_many_reviews_of_ones_own_leave_nothing_to_borrow(drills: Subcategory) -> None:
    many(drills, 100, 1)
    reviewed(SubcategoryFactory(category=drills.category), BAD)
    assert window("item", drills.pk).loan.rates == {}
