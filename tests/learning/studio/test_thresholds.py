"""The pages of thresholds: what holds where, trying others, and saving them with nobody in between."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Category, Subcategory
from learning import thresholds
from learning.models import Backtest, ThresholdSet
from learning.thresholds import Place
from tests import people
from tests.callers import Caller
from tests.factories import CategoryFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, reviewed

pytestmark = pytest.mark.django_db
BAD = {"bad_format": True}
FIELD = "bad_format_trigger"


@pytest.fixture
def drills() -> Subcategory:
    made: Subcategory = SubcategoryFactory(name="Drills", category=CategoryFactory(name="Tools"))
    return made


@pytest.fixture
def client() -> Client:
    return people.admin()


def url(place: Subcategory | Category, flow: str = "item") -> str:
    kind = "category" if isinstance(place, Category) else "subcategory"
    return f"/admin/studio/thresholds/{flow}/{kind}/{place.pk}/"


def tried(client: Client, place: Subcategory | Category, **fields: str) -> Backtest:
    answer = client.post(url(place), fields)
    assert answer.status_code == 302, answer.content
    return Backtest.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[-1]))


def saved(client: Client, backtest: Backtest, why: str = "enough") -> Any:
    return client.post(f"/admin/studio/backtests/{backtest.pk}/save/", {"why": why})


def test_from_the_form_over_the_backtest_to_what_every_page_says(client: Client, drills: Subcategory) -> None:
    history(drills, [[BAD], [{}], [{}], [{}], [{}], [{}], [{}], [{}], [{}], [BAD]])
    assert "2/10, at 3" in client.get(url(drills)).content.decode()
    begun = tried(client, drills, bad_format_trigger="2")
    page = client.get(f"/admin/studio/backtests/{begun.pk}/").content.decode()
    assert "10 reviews gone through" in page and "Save for Drills" in page
    assert not ThresholdSet.objects.exists()
    answer = saved(client, begun, "forms matter here")
    assert answer["Location"] == url(drills)
    kept = ThresholdSet.objects.get()
    assert (kept.of_ten, kept.why, kept.by and kept.by.username) == ({FIELD: 2}, "forms matter here", "mk")
    page = client.get(url(drills)).content.decode()
    assert "forms matter here" in page and 'class="on"' in page
    answer = client.get(f"/learning/{drills.slug}/").content.decode()
    assert 'class="on"' in answer
    assert 'value="2"' in page


@pytest.mark.parametrize("text", ["0", "11", "x", "-1", "2.5", "99999", "²"])
def test_what_is_no_threshold_is_told_at_its_field(client: Client, drills: Subcategory, text: str) -> None:
    answer = client.post(url(drills), {FIELD: text, "missing_spec_trigger": "5"})
    page = answer.content.decode()
    assert answer.status_code == 422 and f'id="id_{FIELD}_error"' in page and "from 1 to 10" in page
    assert 'value="5"' in page  # what else was typed stays
    assert not Backtest.objects.exists()


def test_why_is_asked_for(client: Client, drills: Subcategory) -> None:
    begun = tried(client, drills, bad_format_trigger="2")
    assert saved(client, begun, " ").status_code == 422
    assert not ThresholdSet.objects.exists()


def test_two_admins_at_once_lose_nothing_and_the_second_is_told(client: Client, drills: Subcategory) -> None:
    first, second = tried(client, drills, bad_format_trigger="2"), tried(client, drills, bad_format_trigger="7")
    saved(client, first, "mine came first")
    answer = saved(client, second)
    page = answer.content.decode()
    assert answer.status_code == 409 and "mine came first" in page and "Bad format 2" in page
    assert ThresholdSet.objects.get().of_ten == {FIELD: 2}
    page = client.get(f"/admin/studio/backtests/{second.pk}/").content.decode()
    assert "Start from those and try again" in page and "Save for" not in page
    assert client.get(f"/admin/studio/backtests/{first.pk}/").content.decode().count("Saved by") == 1


def test_going_back_starts_from_an_older_set_and_is_one_more(client: Client, drills: Subcategory) -> None:
    saved(client, tried(client, drills, bad_format_trigger="2"))
    old = ThresholdSet.objects.get()
    saved(client, tried(client, drills, bad_format_trigger="7"))
    page = client.get(url(drills) + f"?from={old.pk}").content.decode()
    assert 'value="2"' in page
    saved(client, tried(client, drills, bad_format_trigger="2"), "back")
    assert [row.of_ten[FIELD] for row in ThresholdSet.objects.all()] == [2, 7, 2]
    assert client.get(url(drills) + "?from=0").status_code == 404


def test_emptied_fields_hold_what_is_above(client: Client, drills: Subcategory) -> None:
    saved(client, tried(client, drills.category, bad_format_trigger="5"))
    saved(client, tried(client, drills, bad_format_trigger="2"))
    saved(client, tried(client, drills, bad_format_trigger=""))
    assert ThresholdSet.objects.latest("pk").of_ten == {}
    assert thresholds.now("item", [drills.pk])[drills.pk].of_ten == {FIELD: 5}
    assert "5 from Tools" in client.get(url(drills)).content.decode()


def test_progress_is_told_while_it_goes_on(client: Client, drills: Subcategory) -> None:
    begun = Backtest.objects.create(flow="item", subcategory=drills, total=1000, done=250)
    page = client.get(f"/admin/studio/backtests/{begun.pk}/").content.decode()
    assert "250 of 1000 events" in page and 'value="25"' in page and "every 1s" in page
    part = client.get(f"/admin/studio/backtests/{begun.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<div id="tried"') and "<html" not in part
    assert saved(client, begun).status_code == 409  # no result, nothing to save


def test_one_that_failed_says_so(client: Client, drills: Subcategory) -> None:
    begun = Backtest.objects.create(
        flow="item", subcategory=drills, error="ValueError", finished_at="2026-01-01T00:00Z"
    )
    page = client.get(f"/admin/studio/backtests/{begun.pk}/").content.decode()
    assert "ended with an error" in page and f"backtest={begun.pk}" in page
    assert "ValueError" not in page and "Save for" not in page


def test_who_may_only_look_sees_no_way_to_save(drills: Subcategory) -> None:
    staff = UserFactory(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_thresholdset"))
    looking = people.signed_in(staff)
    assert "Try them" not in looking.get(url(drills)).content.decode()
    assert looking.post(url(drills), {FIELD: "2"}).status_code == 403
    begun = Backtest.objects.create(flow="item", subcategory=drills, finished_at="2026-01-01T00:00Z")
    assert saved(looking, begun).status_code == 403
    nobody = people.signed_in(UserFactory(is_staff=True))
    assert nobody.get("/admin/studio/thresholds/").status_code == 403


@pytest.mark.parametrize(
    "address", ["?flow=none", "none/subcategory/1/", "item/none/1/", "item/subcategory/0/", "item/category/0/"]
)
def test_what_is_not_there_is_404(client: Client, address: str) -> None:
    assert client.get(f"/admin/studio/thresholds/{address}").status_code == 404


def test_the_overview_finds_places_and_marks_what_is_set(client: Client, drills: Subcategory) -> None:
    SubcategoryFactory(name="Lamps")
    admin = User.objects.get(username="mk")
    thresholds.save(Place("item", drills), {FIELD: 9}, by=admin, why="w", based_on=None)
    reviewed(drills, {})
    page = client.get("/admin/studio/thresholds/?q=dril").content.decode()
    assert "Drills" in page and "Lamps" not in page and '9<span class="sr">, set here' in page
    assert "is-own" not in client.get("/admin/studio/thresholds/?flow=editorial").content.decode()
    assert "No such place" in client.get("/admin/studio/thresholds/?q=zzz").content.decode()


def test_a_hundred_places_cost_as_much_as_ten(client: Client) -> None:
    admin, category = User.objects.get(username="mk"), CategoryFactory()
    costs = []
    for many in (10, 90):
        for place in SubcategoryFactory.create_batch(many, category=category):
            thresholds.save(Place("item", place), {FIELD: 9}, by=admin, why="w", based_on=None)
        with CaptureQueriesContext(connection) as queries:
            client.get("/admin/studio/thresholds/")
        costs.append(len(queries))
    assert costs[0] == costs[1]


def test_rest_tells_the_threshold_in_force(drills: Subcategory) -> None:
    reviewed(drills, BAD)
    thresholds.save(Place("item", drills), {FIELD: 10}, by=UserFactory(), why="w", based_on=None)
    for _ in range(9):
        reviewed(drills, {})
    answer = Caller("read").get(f"/subcategories/{drills.slug}/triggers").json()
    assert answer["triggers"][FIELD] == {"fired": False, "count": 1, "threshold": 10}
