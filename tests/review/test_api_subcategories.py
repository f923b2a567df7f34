"""The REST calls on subcategories, over real HTTP."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from generation.models import Category, Status, Subcategory
from generation.models.category import RESERVED
from tests.callers import Caller, pointers
from tests.factories import CategoryFactory, ReviewEventFactory, RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def call() -> Caller:
    return Caller()


def test_counts(call: Caller) -> None:
    drills, saws = SubcategoryFactory(slug="drills"), SubcategoryFactory(slug="saws")
    RunFactory(subcategory=drills)
    RunFactory(subcategory=drills, status=Status.NEEDS_HUMAN_REVIEW)
    RunFactory(subcategory=drills, status=Status.QUEUED)
    ReviewEventFactory(run=RunFactory(subcategory=saws, status=Status.APPROVED))
    items = call.get("/subcategories").json()["items"]
    assert [(item["slug"], item["waiting"], item["reviewed"]) for item in items] == [
        ("drills", 2, 0),
        ("saws", 0, 1),
    ]
    assert (items[0]["name"], items[0]["category"]) == (drills.name, drills.category.name)


def test_the_list_costs_the_same_at_ten_and_at_a_hundred(call: Caller, django_assert_num_queries: Any) -> None:
    call.get("/subcategories")
    for count in (10, 90):
        for _ in range(count):
            RunFactory()
        with django_assert_num_queries(4):  # the key, its count of calls, the rows, their tallies
            items = call.get("/subcategories", limit=200).json()["items"]
    assert len(items) == 100


def test_pages(call: Caller) -> None:
    for slug in "bca":
        SubcategoryFactory(slug=slug)
    first = call.get("/subcategories", limit=2).json()
    second = call.get("/subcategories", limit=2, cursor=first["next_cursor"]).json()
    assert [item["slug"] for item in first["items"] + second["items"]] == ["a", "b", "c"]


def test_make_and_rename(call: Caller) -> None:
    made = call("PUT", "/subcategories/drills", {"name": "Drills", "category": "Tools"})
    assert made.status_code == 201
    assert made.json() == {
        "slug": "drills", "name": "Drills", "category": "Tools", "waiting": 0, "reviewed": 0,
        "url": "http://testserver/api/v1/subcategories/drills", "web_url": "http://testserver/learning/drills/",
    }  # fmt: skip
    assert call.get("/subcategories/drills").json() == made.json()
    again = call("PUT", "/subcategories/drills", {"name": " Cordless drills ", "category": "Tools"})
    assert (again.status_code, again.json()["name"]) == (200, "Cordless drills")
    assert (Subcategory.objects.count(), Category.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("slug", "body", "pointer"),
    [
        ("drills", {"name": "Drills"}, "/category"),
        ("drills", {"name": " ", "category": "Tools"}, "/name"),
        ("drills", {"name": "Drills", "category": "x" * 201}, "/category"),
        ("drills", {"name": "Drills", "category": "Tools", "slug": "x"}, "/slug"),
        ("über", {"name": "Drills", "category": "Tools"}, "/slug"),
        ("x" * 101, {"name": "Drills", "category": "Tools"}, "/slug"),
    ],
)
def test_a_bad_field_is_pointed_at(call: Caller, slug: str, body: Any, pointer: str) -> None:
    response = call("PUT", f"/subcategories/{slug}", body)
    assert response.status_code == 422
    assert pointers(response) == [pointer]
    assert not Subcategory.objects.exists()


@pytest.mark.parametrize("slug", RESERVED)
def test_a_slug_where_a_page_stands_is_refused(call: Caller, slug: str) -> None:
    refused = call("PUT", f"/subcategories/{slug}", {"name": "x", "category": "Tools"})
    assert (refused.status_code, pointers(refused)) == (422, ["/slug"])
    assert not Category.objects.exists()
    with pytest.raises(ValidationError):
        Subcategory(slug=slug, name="x", category=CategoryFactory()).full_clean()
