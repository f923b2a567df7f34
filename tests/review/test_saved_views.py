"""Saved views: kept per person, shared by admins, and nobody else's to change."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from review.models import SavedView
from review.views import saved_views
from tests.factories import UserFactory
from tests.people import signed_in

pytestmark = pytest.mark.django_db


def test_save_open_rename_delete(web: Client, me: User) -> None:
    answer = web.post(
        "/queue/views/", {"name": " Drills ", "query": "flow=item&text=Bohr%26er&cursor=x&nonsense=1"}
    )
    assert answer["Location"] == "/queue/?flow=item&text=Bohr%26er"
    view = SavedView.objects.get()
    assert (view.owner, view.name, view.query, view.shared) == (me, "Drills", "flow=item&text=Bohr%26er", False)
    assert "Saved: “Drills” stands under Views." in web.get(answer["Location"]).text
    assert ">Drills</a>" in web.get("/queue/").text
    assert '<a href="/queue/" aria-current="page">Queue' in web.get("/queue/views/").text
    assert web.get(f"/queue/views/{view.pk}/")["Location"] == "/queue/?flow=item&text=Bohr%26er"
    web.post(f"/queue/views/{view.pk}/", {"name": "Bohrer", "shared": "on"})
    view.refresh_from_db()
    assert (view.name, view.shared) == ("Bohrer", False), "sharing is an admin's"
    web.post(f"/queue/views/{view.pk}/", {"delete": ""})
    assert not SavedView.objects.exists()


def test_an_admin_shares_and_others_open_and_change_nothing(web: Client) -> None:
    boss = UserFactory(is_superuser=True, username="boss")
    own, shared = (SavedView.objects.create(owner=boss, name=name, query="flow=item") for name in ("own", "open"))
    signed_in(boss).post(f"/queue/views/{shared.pk}/", {"name": "open", "shared": "on"})
    assert "shared by boss" in web.get("/queue/views/").text and ">open<" in web.get("/queue/").text
    assert web.get(f"/queue/views/{shared.pk}/").status_code == 302
    for refused in (web.get(f"/queue/views/{own.pk}/"), web.post(f"/queue/views/{shared.pk}/", {"delete": ""})):
        assert refused.status_code == 404


@pytest.mark.parametrize(("name", "words"), [(" ", "needs a name"), ("Taken", "of this name already")])
def test_names(web: Client, me: User, name: str, words: str) -> None:
    SavedView.objects.create(owner=me, name="Taken")
    assert words in web.post("/queue/views/", {"name": name}, follow=True).text
    assert SavedView.objects.count() == 1


def test_nobody_keeps_more_than_so_many(web: Client, me: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "MOST", 1)
    for name in "ab":
        answer = web.post("/queue/views/", {"name": name}, follow=True)
    assert "delete one first" in answer.text and SavedView.objects.count() == 1
