"""The page of the policy: what each does, choosing one with a reason, and trying the other on past reviews."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import Error, connection, transaction
from django.test import Client

from generation.models import Subcategory
from learning.models import Backtest, PolicyChoice, ThresholdSet
from learning.policies import choosing
from learning.triggers import decide
from learning.window import window
from tests import people
from tests.callers import Caller
from tests.factories import CategoryFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, reviewed

pytestmark = pytest.mark.django_db
URL, TRY = "/admin/studio/policy/", "/admin/studio/policy/try/"
BAD = {"bad_format": True}


@pytest.fixture
def drills() -> Subcategory:
    made: Subcategory = SubcategoryFactory(name="Drills", category=CategoryFactory(name="Tools"))
    return made


@pytest.fixture
def client() -> Client:
    return people.admin()


def test_choosing_moves_every_trigger_and_is_kept(client: Client, drills: Subcategory) -> None:
    history(drills, [[BAD]] * 3)
    assert decide(window("item", drills.pk))["bad_format_trigger"].fired
    assert "Nobody chose yet: window holds" in client.get(URL).content.decode()
    assert client.post(URL, {"policy": "steady", "why": "it flickers"}).status_code == 302
    told = Caller("read").get(f"/subcategories/{drills.slug}/triggers").json()["triggers"]["bad_format_trigger"]
    assert told == {"fired": False, "count": 3, "threshold": 1, "policy": "steady", "level": 3.46, "bound": 5.6}
    page = client.get(URL).content.decode()
    assert "it flickers" in page and page.count("in force") == 1
    made = PolicyChoice.objects.get()
    assert (made.policy, made.by and made.by.is_superuser) == ("steady", True)


@pytest.mark.parametrize("given", [{"policy": "guess", "why": "w"}, {"policy": "steady", "why": ""}, {}])
def test_a_choice_needs_a_policy_that_exists_and_a_reason(client: Client, given: dict[str, str]) -> None:
    answer = client.post(URL, given)
    assert answer.status_code == 422 and 'class="error"' in answer.content.decode()
    assert not PolicyChoice.objects.exists()


def test_the_setting_holds_until_somebody_chooses(settings: Any, drills: Subcategory) -> None:
    settings.FOLDBACK_POLICY = "steady"
    assert (choosing.in_force(), window("item", drills.pk).policy) == ("steady", "steady")
    choosing.choose("window", by=None, why="back")
    assert (choosing.in_force(), window("item", drills.pk).policy) == ("window", "window")


def test_a_choice_is_never_changed() -> None:
    made = choosing.choose("steady", by=None, why="w")
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE learning_policychoice SET policy = 'window' WHERE id = %s", [made.pk])
    assert choosing.in_force() == "steady"


def test_trying_the_other_on_past_reviews(client: Client, drills: Subcategory) -> None:
    """Three of ten at once switch the window on; seven unguided runs later only the level remembers them."""
    history(drills, [[BAD]] * 5 + [[{}]] * 8)
    answer = client.post(TRY, {"place": f"item/{drills.category.pk}", "policy": "steady"})
    tried = Backtest.objects.get()
    assert (answer.status_code, tried.policy, tried.error) == (302, "steady", "")
    found = tried.result[str(drills.pk)]
    assert found["policies"] == ["window", "steady"]
    lanes = found["triggers"]["bad_format_trigger"]
    assert (lanes["today"]["reviews"], lanes["new"]["reviews"], lanes["new"]["changes"]) == (12, 9, 1)
    page = client.get(answer["Location"]).content.decode()
    assert "today, window" in page and "tried, steady" in page and "Back to the policy" in page
    assert ">Policy</a> › backtest" in page and "/studio/thresholds/?flow" not in page
    assert "nothing of its own" not in page and page.count("4 triggers as today") == 1
    assert page.count('tried, steady</th><td class="num">–</td>') == 5
    assert 'today, window</th><td class="num">3</td>' in page
    assert "Today: 3 of ten: 2 changes" in page and "Tried: steady: 1 change," in page
    assert "Save for" not in page and not ThresholdSet.objects.exists() and not PolicyChoice.objects.exists()
    assert "steady, Tools" in client.get(URL).content.decode()


def test_only_places_with_reviews_are_offered_the_fullest_first(client: Client, drills: Subcategory) -> None:
    assert "Nothing was reviewed yet" in client.get(URL).content.decode()
    SubcategoryFactory(category=CategoryFactory(name="Empty"))
    history(drills, [[{}]] * 2)
    history(SubcategoryFactory(name="Saws", category=drills.category), [[{}]])
    wide = SubcategoryFactory(category=CategoryFactory(name="Wide"))
    history(wide, [[{}]] * 4)
    page = client.get(URL).content.decode()
    offered = re.findall(r'<option value="item/(\d+)"[^>]*>([^<]*)<', page)
    assert offered == [
        (str(wide.category.pk), "Item, Wide: 4 reviews"),
        (str(drills.category.pk), "Item, Tools: 3 reviews"),
    ]
    assert "Empty" not in page


def test_a_policy_that_changes_nothing_is_folded(client: Client, drills: Subcategory) -> None:
    history(drills, [[{}]] * 3)
    answer = client.post(TRY, {"place": f"item/{drills.category.pk}", "policy": "steady"})
    page = client.get(answer["Location"]).content.decode()
    assert "the same at all times" in page and "5 triggers as today" in page


@pytest.mark.parametrize("ended", [{}, {"error": "KeyError", "finished_at": "2026-01-01T00:00Z"}])
def test_one_without_a_result_is_of_the_policy_too(
    client: Client, drills: Subcategory, ended: dict[str, str]
) -> None:
    begun = Backtest.objects.create(flow="item", category=drills.category, policy="steady", **ended)
    page = client.get(f"/admin/studio/backtests/{begun.pk}/").content.decode()
    assert ">Policy</a> › backtest" in page and "/admin/studio/thresholds/item/" not in page


def test_runs_made_by_the_window_do_not_tell_what_steady_had_seen(client: Client, drills: Subcategory) -> None:
    state = {"window": {}, "basis": {"policy": "window", "events": [], "thresholds": [], "synonyms": 0}}
    reviewed(drills, BAD, trigger_state=state | {"basis": state["basis"] | {"subcategory": drills.pk}})
    client.post(TRY, {"place": f"item/{drills.category.pk}", "policy": "steady"})
    found = Backtest.objects.get().result[str(drills.pk)]
    assert (found["runs"], found["untold"]) == (0, 1)


def test_without_a_holdout_it_is_told_that_nothing_lets_go(client: Client, settings: Any) -> None:
    settings.FOLDBACK_HOLDOUT = 0
    assert "stays on" in client.get(URL).content.decode()
    settings.FOLDBACK_HOLDOUT = 0.1
    assert "Held out now: 10 %" in client.get(URL).content.decode()


def test_who_may_see_and_who_may_choose(drills: Subcategory) -> None:
    clerk: User = UserFactory(is_staff=True)
    client = Client()
    client.force_login(clerk)
    assert client.get(URL).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_policychoice"))
    assert client.get(URL).status_code == 200 and "Choose from now on" not in client.get(URL).content.decode()
    assert client.post(URL, {"policy": "steady", "why": "w"}).status_code == 403
    body = {"place": f"item/{drills.category.pk}", "policy": "steady"}
    assert client.post(TRY, body).status_code == 403
    assert client.get("/admin/learning/policychoice/")["Location"] == URL


@pytest.mark.parametrize(
    "body", [{}, {"place": "none/1"}, {"policy": "steady"}, {"place": "item/1", "policy": "guess"}]
)
def test_trying_nothing_that_there_is(client: Client, body: dict[str, str]) -> None:
    assert client.post(TRY, body).status_code == 422
    assert not Backtest.objects.exists()
