"""Administration of learning: guidance keeps its shipped text at hand, switches name who and why."""

import pytest
from django.contrib.auth.models import Permission

from learning import guidance
from learning.guidance import shipped_text, texts
from learning.models import Guidance, Switch
from tests import people
from tests.factories import SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
KEY = "bad_format.extraction"


@pytest.fixture
def row() -> Guidance:
    guidance.seed()
    return Guidance.objects.get(flow="item", key=KEY)


def url(row: Guidance, act: str) -> str:
    return f"/admin/learning/guidance/{row.pk}/{act}/"


def test_an_edit_names_its_author_and_speaks_at_once(row: Guidance) -> None:
    client = people.admin()
    assert shipped_text("item", KEY)[:40] in client.get(url(row, "change")).content.decode().replace("&#x27;", "'")
    client.post(url(row, "change"), {"text": "Be strict.\r\nAlways.", "enabled": "on"})
    row.refresh_from_db()
    assert (row.text, row.changed_by and row.changed_by.username) == ("Be strict.\nAlways.", "mk")
    assert texts("item")[KEY] == ("Be strict.\nAlways.", True)


def test_the_shipped_text_is_one_click_away(row: Guidance) -> None:
    client = people.admin()
    client.post(url(row, "change"), {"text": "Mine."})
    client.post(url(row, "restore"), {"text": "what stands in the field does not matter"})
    row.refresh_from_db()
    assert row.text == shipped_text("item", KEY)
    assert not row.enabled  # restoring the words switches nothing on


def test_restoring_is_a_post_by_those_who_may_change(row: Guidance) -> None:
    assert people.admin().get(url(row, "restore")).status_code == 405
    staff = UserFactory(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_guidance"))
    assert people.signed_in(staff).post(url(row, "restore")).status_code == 403
    assert people.reviewer().post(url(row, "restore"), follow=True).status_code == 403


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
