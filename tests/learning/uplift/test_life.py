"""When triggers went on and off, read off the states that runs were generated with."""

from itertools import count
from typing import Any

import pytest

from generation.models import Run, Subcategory
from learning.uplift import life as module
from learning.uplift.life import life
from tests import people
from tests.factories import ReviewEventFactory, RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db
FORMAT, MISSING = "bad_format_trigger", "missing_spec_trigger"


@pytest.fixture
def here() -> Subcategory:
    found: Subcategory = SubcategoryFactory(slug="drills")
    return found


def made(
    at: Subcategory, *fired: str, events: tuple[int, ...] = (), thresholds: int = 1, policy: str = "", **given: Any
) -> Run:
    state = {
        "triggers": {name: {"fired": name in fired} for name in (FORMAT, MISSING)},
        "basis": {"subcategory": at.pk, "events": [[event] for event in events], "thresholds": [thresholds]}
        | ({"policy": policy} if policy else {}),
    }
    run: Run = RunFactory(subcategory=at, **{"trigger_state": state, **given})
    return run


def told(at: Subcategory) -> list[tuple[str, bool]]:
    return [(switch.trigger, switch.on) for switch in life("item", at).switches]


def test_each_switch_with_the_reviews_behind_it(here: Subcategory) -> None:
    first, second = ReviewEventFactory(), ReviewEventFactory()
    made(here)
    made(here, FORMAT, events=(first.pk, second.pk))
    made(here, FORMAT, events=(first.pk, second.pk))
    made(here, events=(second.pk,))
    made(here, MISSING, events=(second.pk,), thresholds=2)
    missing, off, on = life("item", here).switches
    assert (on.trigger, on.on, set(on.came), on.why) == (FORMAT, True, {first.run_id, second.run_id}, "")
    assert (off.trigger, off.on, off.came, off.why) == (FORMAT, False, [], "1 review left the window")
    assert (missing.trigger, missing.on, missing.why) == (MISSING, True, "thresholds were changed")


def test_under_steady_what_leaves_decides_nothing(here: Subcategory) -> None:
    first, second = ReviewEventFactory(), ReviewEventFactory()
    steady: dict[str, Any] = {"subcategory": here.pk, "policy": "steady"}
    made(here, events=(first.pk,), policy="window")
    made(here, FORMAT, events=(first.pk, second.pk), policy="steady")
    made(here, events=(second.pk,), policy="steady")
    lent = {"events": [[second.pk]], "thresholds": [1], "loan": {"rates": {}}}
    made(here, trigger_state={"triggers": {FORMAT: {"fired": True}}, "basis": steady | lent})
    borrowed, off, on = life("item", here).switches
    assert (list(on.came), on.why) == ([second.run_id], "another policy was chosen")
    assert (off.on, off.why) == (False, "")
    assert (borrowed.on, borrowed.why) == (True, "reviews of its category's other subcategories")


def test_runs_that_say_nothing_of_this_place_are_passed_over(here: Subcategory) -> None:
    made(here)
    made(here, trigger_state=None)
    made(here, FORMAT, trigger_state={"triggers": {FORMAT: {"fired": True}}, "basis": {"subcategory": -1}})
    made(SubcategoryFactory(), FORMAT)
    made(here, FORMAT, flow="editorial")
    assert told(here) == []
    again = made(here, FORMAT, round=2)
    assert told(here) == [], "its first round's is not known"
    Run.objects.filter(pk=again.pk).update(first_trigger_state=again.trigger_state)
    assert told(here) == [(FORMAT, True)]


def test_older_switches_are_reached_step_by_step(here: Subcategory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOKED_AT", 4)
    for number in range(15):
        made(here, *([FORMAT] if number % 3 == 0 else []))
        if number == 9:
            made(here, trigger_state=None)
    whole, before = [], None
    for _step in count():
        found = life("item", here, before)
        whole += [(switch.at, switch.on) for switch in found.switches]
        before = found.older
        if before is None:
            break
    assert [on for _at, on in whole] == [False, True] * 4 + [False]
    assert whole == sorted(whole, reverse=True)


def test_the_page_and_its_table(here: Subcategory) -> None:
    client = people.reviewer()
    assert "No trigger went on or off" in client.get("/learning/drills/life/").content.decode()
    event = ReviewEventFactory()
    made(here)
    made(here, FORMAT, events=(event.pk,))
    page = client.get("/learning/drills/life/?flow=item&before=nonsense").content.decode()
    assert f"/runs/{event.run_id}/" in page
    lines = client.get("/learning/drills/life/?flow=item&format=csv").content.decode().splitlines()
    assert lines[1].split(",")[1:3] == [FORMAT, "true"]
    assert client.get("/learning/drills/life/?flow=poem").status_code == 404
