"""The backtest: it finds again what was stored, compares thresholds over the history, and writes nothing else."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from generation.errors import Conflict
from generation.models import Run, Subcategory
from learning import backtests, thresholds
from learning.acts import Scene, moves
from learning.backtest import Then, compare, reproduced, stored
from learning.models import Backtest
from learning.replay import Past
from learning.rules import Own, rules
from learning.thresholds import SHIPPED, Place, now
from learning.triggers import Triggers, decide
from learning.window import Window, window
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.histories import history, many, reviewed, said, taken_back
from tests.learning.lives import Life
from tests.review import panels

BAD = {"bad_format": True}
SEEDS = range(12)


def states() -> list[dict[str, Any]]:
    found = Run.objects.filter(trigger_state__isnull=False).values_list("trigger_state", flat=True)
    return [state for state in found if state is not None]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_states_stored_at_generation_come_out_again(seed: int) -> None:
    """Whatever was reviewed, taken back, moved, merged, switched or set in between and since."""
    life = Life.begun(seed)
    life.live(120)
    kept = states()
    assert len(kept) > 10
    assert [reproduced(state, Then("item")).as_json() for state in kept] == [stored(state) for state in kept]
    found = moves("item")
    for place in life.places:
        read = rules("item", [place.pk])
        result = compare(Scene("item", place, found), Own(), Own(), read, tick=lambda events: None)
        here = [state["basis"]["policy"] for state in kept if state["basis"]["subcategory"] == place.pk]
        untold = here.count("window") if read.policy == "steady" else 0  # ten runs are too few to tell by
        assert (result.runs, result.untold) == (result.same, untold)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_history_gone_through_is_the_history_as_it_was(seed: int) -> None:
    """Up to the moment of each generation the walk counts the very reviews that counted then; at its end it is the
    window of today."""
    life = Life.begun(100 + seed)
    life.live(120)
    found = moves("item")
    for place in life.places:
        scene = Scene("item", place, found)
        read = rules("item", [place.pk])
        for run_id, (generated_in, at) in life.generated.items():
            state = Run.objects.get(pk=run_id).trigger_state
            if generated_in == place.pk and state is not None:
                past = Past(read.synonyms)
                for act in scene.acts():
                    if act.at < at:
                        past.apply(act)
                seen = past.window(Window(policy=state["basis"]["policy"]))
                assert [list(run.events) for run in seen.past] == state["basis"]["events"]
        past = Past(read.synonyms)
        for act in scene.acts():
            past.apply(act)
        seen = window("item", place.pk)
        assert [run.events for run in past[-10:]] == [run.events for run in seen.runs]


@pytest.mark.django_db
def test_every_state_of_the_demo_comes_out_again() -> None:
    """Through the whole pipeline, in every flow."""
    call_command("demo")
    runs = list(Run.objects.filter(trigger_state__isnull=False))
    assert {run.flow for run in runs} == {"item", "editorial", "question", "change"}
    for run in runs:
        assert run.trigger_state is not None
        assert reproduced(run.trigger_state, Then(run.flow)).as_json() == stored(run.trigger_state)


@pytest.fixture
def drills(db: None) -> Subcategory:
    made: Subcategory = SubcategoryFactory()
    return made


def compared(place: Subcategory, **new: int) -> dict[str, Any]:
    """One backtest of other thresholds for `place`: the result of that subcategory."""
    backtest = backtests.start(
        Place("item", place), {f"{name}_trigger": n for name, n in new.items()}, UserFactory()
    )
    assert (backtest.finished_at is not None, backtest.error) == (True, "")
    result: dict[str, Any] = backtest.result[str(place.pk)]
    return result


def test_what_would_have_been_on_after_how_many_reviews(drills: Subcategory) -> None:
    """One in ten at the eleventh review: five clean, then one bad, then clean until it left the window."""
    history(drills, [[{}]] * 5 + [[BAD]] + [[{}]] * 12)
    found = compared(drills, bad_format=1)["triggers"]["bad_format_trigger"]
    assert (found["today"]["of_ten"], found["new"]["of_ten"]) == (3, 1)
    assert (found["today"]["reviews"], found["today"]["changes"], found["today"]["spans"]) == (0, 0, [])
    assert (found["new"]["reviews"], found["new"]["changes"], found["other_reviews"]) == (10, 2, 10)
    [[begin, end]] = found["new"]["spans"]
    assert begin < end


def test_what_is_still_on_has_no_end(drills: Subcategory) -> None:
    history(drills, [[BAD]] * 3)
    result = compared(drills, bad_format=9)
    found = result["triggers"]["bad_format_trigger"]
    assert found["today"]["spans"] == [[result["first"], None]]
    assert found["new"]["on"] and found["other_reviews"] == 0  # three of three: 9 of 10 is 3 of 3


def test_a_state_from_before_policies_had_names_is_one_of_the_window(drills: Subcategory) -> None:
    state = {"basis": {"subcategory": drills.pk, "events": [], "thresholds": [], "synonyms": 0}}
    plain = reproduced(state, Then("item")).as_json()
    history(drills, [[{}]])
    Run.objects.update(trigger_state=plain | state)
    found = compared(drills, bad_format=1)
    assert (found["runs"], found["same"], found["untold"]) == (1, 1, 0)


def test_a_review_taken_back_switches_off_in_the_walk_too(drills: Subcategory) -> None:
    run = reviewed(drills, BAD)
    taken_back(run.review_events.get(), "left_out")
    found = compared(drills)["triggers"]["bad_format_trigger"]["today"]
    assert (found["reviews"], found["changes"], found["on"]) == (1, 2, False)


def test_machines_and_other_flows_do_not_count(drills: Subcategory) -> None:
    reviewed(drills, BAD | {"source": "machine"})
    reviewed(drills, BAD, flow="editorial")
    assert compared(drills)["reviews"] == 0


def test_the_nearest_place_wins(drills: Subcategory) -> None:
    other = SubcategoryFactory(category=drills.category)
    admin, upper, own = UserFactory(), Place("item", drills.category), Place("item", drills)
    thresholds.save(upper, {"bad_format_trigger": 5, "missing_spec_trigger": 6}, by=admin, why="w", based_on=None)
    thresholds.save(own, {"bad_format_trigger": 1}, by=admin, why="w", based_on=None)
    thresholds.save(Place("editorial", drills), {"bad_format_trigger": 9}, by=admin, why="w", based_on=None)
    found = now("item", [drills.pk, other.pk])
    assert found[drills.pk].of_ten == {"bad_format_trigger": 1, "missing_spec_trigger": 6}
    assert found[other.pk].of_ten == {"bad_format_trigger": 5, "missing_spec_trigger": 6}
    assert own.above() == SHIPPED | {"bad_format_trigger": 5, "missing_spec_trigger": 6}
    reviewed(drills, BAD)
    reviewed(drills, {})
    assert window("item", drills.pk).thresholds.of_ten == found[drills.pk].of_ten
    proposed = upper.proposed({"wrong_information_trigger": 2})
    assert proposed[drills.pk].of_ten == {"bad_format_trigger": 1, "wrong_information_trigger": 2}
    assert proposed[other.pk].of_ten == {"wrong_information_trigger": 2}
    assert own.proposed({})[drills.pk].of_ten == {"bad_format_trigger": 5, "missing_spec_trigger": 6}


def test_a_category_is_gone_through_part_by_part(drills: Subcategory) -> None:
    other = SubcategoryFactory(category=drills.category)
    history(drills, [[BAD]] * 2)
    history(other, [[BAD]] * 3)
    backtest = backtests.start(Place("item", drills.category), {"bad_format_trigger": 10}, UserFactory())
    assert {key: part["reviews"] for key, part in backtest.result.items()} == {str(drills.pk): 2, str(other.pk): 3}
    assert (backtest.total, backtest.done) == (5, 5)


def test_a_killed_one_goes_on_with_what_is_whole(drills: Subcategory, monkeypatch: pytest.MonkeyPatch) -> None:
    other = SubcategoryFactory(category=drills.category)
    for place in (drills, other):
        history(place, [[BAD]] * 2)
    backtest = backtests.start(Place("item", drills.category), {}, UserFactory())
    whole = {str(drills.pk): {"as": "it was"}}
    Backtest.objects.filter(pk=backtest.pk).update(finished_at=None, lease=None, created_at="2020-01-01T00:00Z")
    Backtest.objects.filter(pk=backtest.pk).update(result=whole, done=2)
    assert backtests.unfinished() == [backtest.pk]
    backtests.run(backtest.pk)
    backtest.refresh_from_db()
    assert backtest.result[str(drills.pk)] == {"as": "it was"} and backtest.result[str(other.pk)]["reviews"] == 2
    assert backtest.finished_at is not None


def test_two_workers_do_not_do_it_twice(drills: Subcategory) -> None:
    history(drills, [[BAD]])
    backtest = backtests.start(Place("item", drills), {}, UserFactory())
    held: dict[str, Any] = {"finished_at": None, "result": {}, "lease": "00000000-0000-0000-0000-000000000001"}
    Backtest.objects.filter(pk=backtest.pk).update(**held, lease_expires_at="2999-01-01T00:00Z")
    backtests.run(backtest.pk)
    backtest.refresh_from_db()
    assert (backtest.result, backtest.finished_at) == ({}, None)


READ = (
    "generation_run", "review_reviewevent", "review_reviewform", "review_tally", "review_claim", "learning_switch",
    "learning_guidance", "learning_fieldsynonym", "learning_thresholdset", "learning_controlchange",
)  # fmt: skip


def everything() -> dict[str, list[Any]]:
    """All that windows, statistics and the queue are read from, row for row."""
    found = {}
    with connection.cursor() as cursor:
        for table in READ:
            cursor.execute(f"SELECT t::text, t.xmin::text FROM {table} t ORDER BY 1")
            found[table] = cursor.fetchall()
    return found


def test_it_writes_nothing_that_anything_else_reads(drills: Subcategory) -> None:
    history(drills, [[BAD, {}], [{}], [{"missing_spec": ["weight"]}]])
    before, shown = everything(), [triggers(drills).as_json(), window("item", drills.pk)]
    compared(drills, bad_format=1)
    assert (everything(), [triggers(drills).as_json(), window("item", drills.pk)]) == (before, shown)


def triggers(place: Subcategory) -> Triggers:
    return decide(window("item", place.pk))


def test_saving_needs_a_result_and_nobody_in_between(drills: Subcategory) -> None:
    history(drills, [[BAD], [{}]])
    admin = UserFactory()
    first, second = (backtests.start(Place("item", drills), {"bad_format_trigger": n}, admin) for n in (6, 8))
    made = backtests.save(first, by=admin, why="too eager")
    assert (made.of_ten, made.why, made.by) == ({"bad_format_trigger": 6}, "too eager", admin)
    for stale in (first, second):
        with pytest.raises(Conflict):
            backtests.save(stale, by=admin, why="w")
    assert triggers(drills)["bad_format_trigger"].threshold == 2


def test_much_history_is_left_to_a_task(drills: Subcategory, django_capture_on_commit_callbacks: Any) -> None:
    many(drills, 60, 10)
    with django_capture_on_commit_callbacks(execute=True):
        backtest = backtests.start(Place("item", drills), {}, UserFactory())
    assert (backtest.finished_at, backtest.done) == (None, 0)
    backtests.run(backtest.pk)
    backtest.refresh_from_db()
    assert backtest.result[str(drills.pk)]["reviews"] == 600
    said(reviewed(drills), **BAD)


@pytest.mark.django_db(transaction=True)
def test_what_two_reviewers_say_counts_from_the_second_on(drills: Subcategory) -> None:
    panels.policy()
    mia, tom, _ada = panels.three()
    decided, open_still = (panels.waiting(subcategory=drills) for _ in range(2))
    first = panels.say(decided, mia, bad_format=True).event
    panels.say(open_still, mia, bad_format=True)
    second = panels.say(decided, tom, bad_format=True).event
    assert first and second
    acts = list(Scene("item", drills, moves("item")).acts())
    assert [(act.said["id"], act.at) for act in acts if act.said] == [
        (first.pk, second.created_at),
        (second.pk, second.created_at),
    ]
    past = Past({})
    for act in acts:
        past.apply(act)
    assert [run.events for run in past] == [run.events for run in window("item", drills.pk).runs]
