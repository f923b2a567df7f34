"""Administration of learning: lines are neither added nor deleted, switches name who and why."""

import pytest

from learning import guidance
from learning.models import Guidance, Switch
from tests import people
from tests.factories import SubcategoryFactory

pytestmark = pytest.mark.django_db
KEY = "bad_format.extraction"


@pytest.fixture
def row() -> Guidance:
    guidance.seed()
    return Guidance.objects.get(flow="item", key=KEY)


def url(row: Guidance, act: str) -> str:
    return f"/admin/learning/guidance/{row.pk}/{act}/"


def test_the_lists_of_texts_and_thresholds_are_pages_of_the_studio(row: Guidance) -> None:
    client = people.admin()
    moved = {
        "/admin/learning/guidance/": "/admin/studio/influence/",
        url(row, "change"): f"/admin/studio/influence/{row.pk}/",
        "/admin/learning/thresholdset/": "/admin/studio/thresholds/",
    }
    assert {address: client.get(address)["Location"] for address in moved} == moved


def test_lines_are_neither_added_nor_deleted(row: Guidance) -> None:
    client = people.admin()
    assert client.get("/admin/learning/guidance/add/").status_code == 403
    assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 403


def test_a_switch_keeps_who_and_why() -> None:
    subcategory = SubcategoryFactory()
    people.admin().post("/admin/learning/switch/add/", {"subcategory": subcategory.pk, "why": "photo of two"})
    switch = Switch.objects.get()
    assert (switch.subcategory, switch.why, switch.by and switch.by.username) == (
        subcategory,
        "photo of two",
        "mk",
    )
