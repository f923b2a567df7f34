"""Key-set pages: nothing twice, nothing left out, whatever is added in between."""

import pytest

from generation.errors import BadInput
from generation.models import Run, Subcategory
from generation.rest.pagination import PageQuery, page
from tests.factories import RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db
NEWEST = ("-created_at", "-id")


def walk(limit: int) -> list[str]:
    titles, cursor = [], ""
    while True:
        found = page(Run.objects.all(), NEWEST, PageQuery(limit=limit, cursor=cursor))
        titles += [run.title for run in found.items]
        if found.next_cursor is None:
            return titles
        cursor = found.next_cursor


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_every_row_once_also_where_times_are_equal(limit: int) -> None:
    for number in range(5):
        RunFactory(title=str(number))
    Run.objects.filter(title__in="123").update(created_at=Run.objects.get(title="2").created_at)
    assert walk(limit) == ["4", "3", "2", "1", "0"]


def test_what_is_added_later_does_not_shift_the_next_page() -> None:
    for number in range(4):
        RunFactory(title=str(number))
    first = page(Run.objects.all(), NEWEST, PageQuery(limit=2))
    RunFactory(title="new")
    second = page(Run.objects.all(), NEWEST, PageQuery(limit=2, cursor=first.next_cursor or ""))
    assert [run.title for run in second.items] == ["1", "0"]
    assert second.next_cursor is None


def test_a_rising_list() -> None:
    for slug in "cab":
        SubcategoryFactory(slug=slug)
    first = page(Subcategory.objects.all(), ("slug",), PageQuery(limit=2))
    second = page(Subcategory.objects.all(), ("slug",), PageQuery(limit=2, cursor=first.next_cursor or ""))
    assert [row.slug for row in first.items + second.items] == ["a", "b", "c"]


def test_a_cursor_of_another_list_or_made_up_is_refused() -> None:
    for slug in "ab":
        SubcategoryFactory(slug=slug)
    cursor = page(Subcategory.objects.all(), ("slug",), PageQuery(limit=1)).next_cursor
    assert cursor
    for wrong in (cursor, cursor[:-1], "x", "W10"):
        with pytest.raises(BadInput) as refusal:
            page(Run.objects.all(), NEWEST, PageQuery(cursor=wrong))
        assert refusal.value.problems[0].pointer == "/cursor"
