"""/learning/: a card per subcategory, and as many queries for a hundred as for ten."""

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from learning.models import Switch
from learning.policies import choosing
from tests import people
from tests.factories import SubcategoryFactory
from tests.learning.histories import history, reviewed

pytestmark = pytest.mark.django_db
URL = "/learning/"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(people.a_reviewer())
    return client


def test_strangers_are_sent_to_sign_in() -> None:
    response = Client().get(URL)
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_an_empty_page_says_what_will_be_here(client: Client) -> None:
    assert b"Nothing to learn from yet" in client.get(URL).content


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "no holdout"), (0.1, "holdout 10 %"), (0.025, "holdout 2.5 %"), (1.0, "holdout 100 %")],
)
def test_the_page_tells_the_holdouts_share(client: Client, settings: Settings, share: float, words: str) -> None:
    settings.FOLDBACK_HOLDOUT = share
    assert f">{words}<" in client.get(URL).content.decode()


def test_a_card_tells_rate_shares_and_what_is_on(client: Client) -> None:
    drills = SubcategoryFactory(name="Cordless drills")
    bad = {"decision": "revise", "bad_format": True}
    history(drills, [[bad]] * 4 + [[{"bad_format": False}]] * 6)
    page = client.get(URL).content.decode()
    assert "Cordless drills" in page
    assert "Item, 10 reviewed" in page
    assert "60<small> %</small>" in page  # first-pass acceptance
    assert "40 %" in page
    assert page.count('<span class="on">on</span>') == 1
    assert "4 runs raised it, 3 switch it on" in page


@pytest.mark.parametrize(("policy", "told"), [("window", "window of ten"), ("steady", "policy steady")])
def test_the_head_and_the_legend_tell_what_decides(client: Client, policy: str, told: str) -> None:
    choosing.choose(policy, by=None, why="test")
    reviewed(SubcategoryFactory(), {})
    page = client.get(URL).content.decode()
    assert f", {told}," in page
    assert ("evidence, and where it switches" in page) == (policy == "steady")


def test_subcategories_without_anything_stay_away(client: Client) -> None:
    SubcategoryFactory(name="Hand planes")
    reviewed(SubcategoryFactory(name="Drills"), {})
    page = client.get(URL).content.decode()
    assert "Drills" in page
    assert "Hand planes" not in page


def order(client: Client, query: str) -> list[str]:
    return [shown.card.subcategory.name for shown in client.get(URL, {"sort": query}).context["page"].cards]


def test_orders(client: Client) -> None:
    on, many, bad = (SubcategoryFactory(name=name) for name in ("M on", "Z many", "A bad"))
    history(on, [[{"bad_format": True, "wrong_information": True}]] * 2)
    history(many, [[{}]] * 3)
    history(bad, [[{"decision": "reject"}]])
    assert order(client, "on")[0] == "M on"
    assert order(client, "reviewed") == ["Z many", "M on", "A bad"]
    assert order(client, "acceptance")[0] == "A bad"
    assert order(client, "name") == ["A bad", "M on", "Z many"]
    assert order(client, "nonsense") == order(client, "on")


def test_off_is_told_on_the_card_and_as_a_whole_above(client: Client) -> None:
    one = SubcategoryFactory()
    reviewed(one, {})
    Switch.objects.create(subcategory=one)
    assert b"learning off" in client.get(URL).content
    Switch.objects.create()
    assert b"Learning is off as a whole" in client.get(URL).content


def queries(client: Client) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(URL).status_code == 200
    return len(captured)


def test_a_hundred_subcategories_cost_the_queries_of_ten(client: Client) -> None:
    for _ in range(10):
        reviewed(SubcategoryFactory(), {"missing_spec": ["torque"]})
    ten = queries(client)
    for _ in range(90):
        reviewed(SubcategoryFactory(), {"bad_format": True})
    assert queries(client) == ten


def test_the_cards_as_csv(client: Client) -> None:
    drills = SubcategoryFactory(slug="drills", name="=Drills")
    history(drills, [[{"bad_format": True}]] * 4)
    answer = client.get("/learning/", {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(rows) == 5 and {row["subcategory"] for row in rows} == {"drills"}
    [row] = [row for row in rows if row["trigger"] == "bad_format_trigger"]
    assert (row["on"], row["runs_in_window"], row["raised_in_window"], row["threshold"]) == ("true", "4", "4", "2")
