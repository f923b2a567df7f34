"""What the page says of installations whose truth is known: through the real counting."""

from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from learning import facts
from learning.uplift.page import every_row, evidence, uplift_of
from tests import people
from tests.callers import Caller
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.uplift.worlds import SHARE, TRIGGER, live, write

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _holdout(settings: Any) -> None:
    settings.FOLDBACK_HOLDOUT = float(SHARE)


@pytest.fixture
def person() -> User:
    found: User = UserFactory()
    return found


def test_picked_because_three_of_ten_failed_they_get_better_by_themselves_and_no_uplift_is_shown(
    person: User,
) -> None:
    """Regression to the mean: 15 per cent fail whatever is sent."""
    random, picked, worst, since = Random(3), 0, [0, 0], [0, 0]
    while picked < 25:
        lives = live(random, 80, lambda guided: 0.15)
        first = next((number for number, one in enumerate(lives) if number >= 10 and one.on), None)
        if first is None or first > 40:
            continue
        picked += 1
        for counts, part in ((worst, lives[first - 10 : first]), (since, lives[first:])):
            counts[0] += sum(one.fault for one in part)
            counts[1] += len(part)
        write(SubcategoryFactory(), lives, person)
    before, after = worst[0] / worst[1], since[0] / since[1]
    assert before >= 0.3 > 0.2 > after, "a chart of before and after would praise guidance that does nothing"
    facts.fold()
    page = evidence()
    [block] = page.blocks
    total = block.total.accepted
    assert total.guided.of + total.control.of == 25 * 80
    low, high = total.bounds
    assert low < 0 < high and total.verdict in ("few", "none") and (page.helps, page.harms) == (0, 0)
    [signal] = block.total.signals
    low, high = signal.compared.bounds
    assert low < 0 < high and signal.compared.verdict != "helps"


def test_a_known_uplift_stands_within_its_bounds_and_is_told(person: User) -> None:
    """Faults in 40 per cent, in 5 with guidance; in the second place guidance does nothing."""
    helped, idle = SubcategoryFactory(name="Drills"), SubcategoryFactory(name="Pans")
    write(helped, live(Random(1), 1_500, lambda guided: 0.05 if guided else 0.4), person)
    write(idle, live(Random(2), 1_500, lambda guided: 0.4), person)
    facts.fold()
    page = evidence()
    rows = {row.subcategory: row for block in page.blocks for row in block.rows}
    [signal] = rows[helped].signals
    assert signal.compared.verdict == "helps"
    low, high = signal.compared.bounds
    assert low <= -35 <= high
    assert rows[idle].accepted.verdict in ("few", "none") and page.harms == 0
    low, high = rows[idle].accepted.bounds
    assert low <= 0 <= high
    said = uplift_of("item", helped).as_json()
    assert said["triggers"][TRIGGER]["verdict"] == "helps"
    back = said["recurrence"][TRIGGER]
    assert back["control"]["percent"] > back["guided"]["percent"]


def test_the_pages_bounds_hold_the_known_difference_as_often_as_they_say(person: User) -> None:
    """Forty subcategories of three effects, read off the page: two misses are what 95 per cent would allow."""
    effects = {number: (0.05, 0.2, 0.4)[number % 3] for number in range(40)}  # faults with guidance; 0.4 without
    for number, guided in effects.items():
        lives = live(Random(number), 120, lambda sent, rate=guided: rate if sent else 0.4)  # type: ignore[misc]
        write(SubcategoryFactory(slug=f"place-{number}"), lives, person)
    facts.fold()
    rows = [row for row in every_row(evidence()) if row.subcategory]
    assert len(rows) == 40
    missed, widths, sure = 0, [], 0
    for row in rows:
        assert row.subcategory
        truth = 100 * (effects[int(row.subcategory.slug.removeprefix("place-"))] - 0.4)
        [signal] = row.signals
        low, high = signal.compared.bounds
        missed += not low <= truth <= high
        widths.append(high - low)
        sure += signal.compared.verdict in ("helps", "harms") and truth == 0
    assert missed <= 2 and sure <= 1
    assert sum(widths) / 40 < 110, "bounds as wide as all that can be would hold everything"


def read(client: Client, query: str = "") -> str:
    answer = client.get(f"/learning/evidence/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_a_holdout_it_says_what_is_missing(person: User, settings: Any) -> None:
    settings.FOLDBACK_HOLDOUT = 0.0
    write(SubcategoryFactory(), live(Random(1), 20, lambda guided: 0.4), person, share=SHARE * 0)
    facts.fold()
    assert "No evidence yet" in read(people.reviewer())


def fair(person: User, places: int) -> None:
    for number in range(places):
        here = SubcategoryFactory(slug=f"place-{number}")
        write(here, live(Random(number), 30, lambda guided: 0.3), person)
    facts.fold()


def test_every_subcategory_is_reached_page_by_page(person: User) -> None:
    fair(person, 25)
    page, seen = evidence(), set()
    [block] = page.blocks
    assert len(block.rows) == 6 and block.of == 25
    after = ""
    for _ in range(3):
        [block] = evidence("item", after=after).blocks
        seen |= {row.subcategory for row in block.rows}
        if block.next is None:
            break
        after = str(block.next)
    assert len(seen) == 25 and block.next is None


def test_the_page_costs_the_same_queries_for_ten_as_for_thirty(person: User) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            page = evidence()
            assert [row.accepted.words for block in page.blocks for row in block.rows]
        sql = " ".join(query["sql"] for query in asked)
        assert "generation_run" not in sql and "review_reviewevent" not in sql and "upliftfact" not in sql
        return len(asked)

    fair(person, 3)
    few = cost()
    for number in range(10, 16):
        write(SubcategoryFactory(), live(Random(number), 12, lambda guided: 0.3), person)
    facts.fold()
    assert cost() == few <= 5


def test_the_table_is_a_csv_with_the_interval_of_one_look_named_as_such(person: User) -> None:
    write(SubcategoryFactory(slug="drills"), live(Random(4), 60, lambda guided: 0.3), person)
    facts.fold()
    lines = read(people.reviewer(), "?format=csv").splitlines()
    head = lines[0].lstrip("\ufeff").split(",")
    assert {"low_points", "newcombe_low_points", "e_value", "verdict", "reviews_needed"} <= set(head)
    assert [line.split(",")[1] for line in lines[1:]] == ["", "", "drills", "drills"]


def test_shares_are_never_mixed_and_older_ones_are_a_click_away(person: User) -> None:
    here = SubcategoryFactory(slug="drills")
    write(here, live(Random(1), 40, lambda guided: 0.3), person)
    write(here, live(Random(2), 30, lambda guided: 0.3), person, share=SHARE * 3)
    facts.fold()
    client = people.reviewer()
    assert "40 reviewed runs" in read(client) and "share=0.3" in read(client)
    older = read(client, "?share=0.3")
    assert "30 reviewed runs" in older and "no longer in force" in older
    assert "40 reviewed runs" in read(client, "?share=nonsense&flow=none&after=x")


def test_callers_are_told_the_same(person: User) -> None:
    here = SubcategoryFactory(slug="drills")
    write(here, live(Random(1), 900, lambda guided: 0.05 if guided else 0.4), person)
    facts.fold()
    told = Caller().get("/subcategories/drills/stats").json()["uplift"]
    assert told["holdout_share"] == 0.1
    signal, first = told["triggers"][TRIGGER], told["first_pass_acceptance"]
    assert signal["verdict"] == "helps" and signal["high"] < 0 and signal["e_value"] >= 20
    assert first["guided"]["reviewed"] + first["control"]["reviewed"] == 900
    assert set(told["recurrence"]) == {TRIGGER}
