"""First reviews by subcategory and day, and where acceptance is told to have moved."""

import random
from datetime import date, timedelta

import pytest
from django.utils import timezone

from generation.models import Run, Subcategory
from learning import facts
from learning.days.trends import trends
from learning.models import DaySum
from review.models import ReviewEvent
from tests.factories import SubcategoryFactory
from tests.learning.histories import reviewed, said, taken_back

pytestmark = pytest.mark.django_db
TODAY = date(2026, 3, 31)


def week(place: Subcategory, now: tuple[int, int], before: tuple[int, int]) -> None:
    """accepted of first reviews: in the last week, and in the four before."""
    for (accepted, first), back in ((now, 3), (before, 20)):
        day = TODAY - timedelta(days=back)
        DaySum.objects.create(flow="item", subcategory_id=place.pk, day=day, first=first, accepted=accepted)


@pytest.mark.parametrize(
    ("now", "before", "told"),
    [
        ((19, 20), (50, 100), "better"),
        ((4, 20), (70, 100), "worse"),
        ((12, 20), (50, 100), None),  # may be chance
        ((4, 4), (0, 100), None),  # too few
        ((20, 20), (0, 4), None),
    ],
)
def test_told_where_it_moved_by_more_than_chance(
    now: tuple[int, int], before: tuple[int, int], told: str | None
) -> None:
    week(SubcategoryFactory(), now, before)
    found = ["better" if trend.is_better else "worse" for trend in trends(TODAY).moved]
    assert found == ([told] if told else [])


def test_days_before_the_five_weeks_and_after_today_do_not_count() -> None:
    place = SubcategoryFactory()
    for back in (35, -1):
        day = TODAY - timedelta(days=back)
        DaySum.objects.create(flow="item", subcategory_id=place.pk, day=day, first=100, accepted=0)
    week(place, (10, 10), (10, 10))
    [row] = [trends(TODAY)]
    assert row.compared == 1 and row.moved == []


def test_where_many_are_compared_chance_tells_of_none() -> None:
    """Two hundred places where nothing moved: each by itself at 95 %, ten of them would be told."""
    chance = random.Random(7)
    for place in SubcategoryFactory.create_batch(200):
        week(place, *((sum(chance.random() < 0.6 for _ in range(n)), n) for n in (20, 80)))
    assert trends(TODAY).compared == 200
    assert trends(TODAY).moved == []


def test_a_run_counts_on_the_day_of_its_first_review_that_stands() -> None:
    place, other = SubcategoryFactory.create_batch(2)
    now = timezone.now()
    earlier = now - timedelta(days=3)
    run = reviewed(
        place, {"created_at": earlier, "decision": "approve"}, {"created_at": now, "decision": "reject"}
    )
    facts.fold()
    assert sums() == {(place.pk, earlier.date()): (1, 1)}
    taken_back(ReviewEvent.objects.filter(run=run).earliest("id"), "undone")
    facts.fold()
    assert sums() == {(place.pk, now.date()): (1, 0)}
    Run.objects.filter(pk=run.pk).update(subcategory=other)
    facts.fold()
    assert sums() == {(other.pk, now.date()): (1, 0)}
    Run.objects.filter(pk=run.pk).update(subcategory=None)
    facts.fold()
    assert sums() == {}


def test_the_sums_are_what_counting_anew_says() -> None:
    chance = random.Random(3)
    places = SubcategoryFactory.create_batch(3)
    for _ in range(40):
        run = reviewed(chance.choice(places), {"decision": chance.choice(["approve", "reject"])})
        if chance.random() < 0.3:
            facts.fold()
        if chance.random() < 0.3:
            taken_back(ReviewEvent.objects.filter(run=run).earliest("id"), chance.choice(["undone", "left_out"]))
        if chance.random() < 0.3:
            said(run, decision="approve", created_at=timezone.now() - timedelta(days=chance.randrange(9)))
        if chance.random() < 0.3:
            Run.objects.filter(pk=run.pk).update(subcategory=chance.choice(places))
    facts.fold()
    before = sums()
    assert len(before) > 3
    facts.rebuild()
    assert sums() == {}
    facts.fold()
    assert sums() == before


def sums() -> dict[tuple[int, date], tuple[int, int]]:
    rows = DaySum.objects.exclude(first=0)
    return {(row.subcategory_id, row.day): (row.first, row.accepted) for row in rows}
