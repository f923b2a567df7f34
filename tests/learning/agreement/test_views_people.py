"""/learning/people/: alpha per signal in words, runs where people differ, and pairs for admins alone."""

import csv
import io
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Run, Status
from learning import facts
from learning.agreement import differing, pairs
from learning.agreement.page import page
from learning.templatetags.agreement import alpha_drawn
from tests import people
from tests.factories import UserFactory
from tests.learning.agreement.scenes import reviewed_together, together
from tests.review.panels import policy, say, waiting

pytestmark = pytest.mark.django_db
URL = "/learning/people/"


@pytest.fixture
def three(db: None) -> list[User]:
    return [UserFactory(username=name) for name in ("mia", "tom", "zoe")]


def text_of(client: Client, query: str = "") -> str:
    response = client.get(URL + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_an_empty_page_says_how_to_get_there() -> None:
    assert "No record was reviewed by two people yet" in text_of(people.reviewer())
    assert "Ask for two reviewers" in text_of(people.admin())


def test_each_signal_is_told_with_its_verdict(three: list[User]) -> None:
    reviewed_together(three)
    facts.fold()
    found = {line.what: line for line in page("", "").lines}
    assert {what: line.code for what, line in found.items()} == {
        "decision": "unsure", "accepted": "reliable", "information_present": "same", "missing_spec": "unsure",
        "bad_format": "reliable", "wrong_information": "unreliable", "wrong_physical_dimensions": "unsure",
    }  # fmt: skip
    assert found["information_present"].unset == 10 and found["information_present"].alpha.units == 50
    assert found["bad_format"].said == pytest.approx(29 / 120)
    assert found["wrong_physical_dimensions"].alpha.agreed == pytest.approx(59 / 60)
    text = text_of(people.reviewer())
    assert "People differ too often on Wrong information to rely on it" in text
    assert "They agree on Approved as it is and Bad format." in text
    assert "On 1 of 7 all said the same: nothing to compare. Of 3 of 7 there is not enough to say." in text
    assert "1 sent back and 1 rejected" in text and "1 revise" not in text
    assert "Item: 60 records" in text and "exact as of" in text


def test_the_scale_begins_at_the_lowest_bound(three: list[User]) -> None:
    """They say the opposite of each other, so that even what may be lies far below chance."""
    for number in range(20):
        together(three[:2], {"bad_format": number % 2 == 0}, {"bad_format": number % 2 == 1})
    facts.fold()
    shown = page("item", "")
    lines = {line.what: line for line in shown.lines}
    assert lines["bad_format"].alpha.low == shown.lowest < -0.5
    drawn = alpha_drawn(lines["bad_format"], shown.lowest)
    assert drawn["low"] == drawn["left"] and drawn["marks"][0] > alpha_drawn(lines["bad_format"])["marks"][0]


def test_few_records_say_nothing(three: list[User]) -> None:
    for number in range(9):
        together(three[:2], {"bad_format": number % 2 == 0}, {"bad_format": number % 2 == 0})
    facts.fold()
    assert {line.code for line in page("item", "").lines} == {"unsure"}
    together(three[:2], {"bad_format": True}, {"bad_format": True})
    facts.fold()
    assert {line.what: line.code for line in page("item", "").lines}["bad_format"] == "unsure", "10 alike are few"
    assert {line.what: line.code for line in page("item", "").lines}["wrong_information"] == "same"


def test_runs_where_they_differ_are_decided_and_paged_by_key(
    three: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(differing, "PER_PAGE", 2)
    made = [together(three, {"bad_format": True}, {"bad_format": False}) for _ in range(5)]
    together(three, {"bad_format": True}, {"bad_format": True})
    Run.objects.filter(pk=made[3].pk).update(status=Status.QUEUED, round=2)
    facts.fold()
    first = differing.differing("item", "bad_format")
    assert [apart.run for apart in first.runs] == [made[4], made[2]]
    assert first.runs[0].said == "1 no and 1 yes"
    second = differing.differing("item", "bad_format", behind=first.behind)
    assert [apart.run for apart in second.runs] == [made[1], made[0]] and not second.behind
    assert differing.differing("item", "bad_format", behind="nonsense").runs == first.runs
    asked = {"HX-Request": "true", "HX-Target": "differing"}
    fragment = people.reviewer().get(URL, {"what": "bad_format"}, headers=asked)
    assert b"<html" not in fragment.content and b"Where they differ on Bad format" in fragment.content


def test_nothing_of_a_run_that_others_still_review_is_told() -> None:
    policy(reviewers=3)
    mia, tom, zoe = (people.a_reviewer(name) for name in ("mia", "tom", "zoe"))
    run = waiting(title="Secret drill")
    say(run, mia, bad_format=True)
    say(run, tom, bad_format=False)
    facts.fold()
    client = people.signed_in(zoe)
    assert "No record was reviewed by two people yet" in text_of(client)
    say(run, zoe, bad_format=False)
    facts.fold()
    assert "Secret drill" in text_of(client, "?what=bad_format")


def test_pairs_are_for_admins_who_open_them(three: list[User]) -> None:
    reviewed_together(three)
    facts.fold()
    admin, reviewer = people.admin(), people.reviewer()
    assert "mia" not in text_of(admin), "not before it is asked for"
    text = text_of(admin, "?pairs=")
    assert text.index("mia and tom") < text.index("mia and zoe") < text.index("tom and zoe")
    assert "Pairs of people" not in text_of(reviewer, "?pairs=") and "mia" not in text_of(reviewer, "?pairs=")
    assert b"mia" not in reviewer.get(URL, {"pairs": "", "format": "csv"}).content


def test_pairs_are_paged_by_key(three: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "PER_PAGE", 2)
    reviewed_together(three)
    facts.fold()
    first = pairs.pairs("item")
    rest = pairs.pairs("item", behind=first.behind)
    assert [(two.first, two.second) for two in (*first.twos, *rest.twos)] == [
        ("mia", "tom"), ("mia", "zoe"), ("tom", "zoe"),
    ]  # fmt: skip
    assert not rest.behind and pairs.pairs("item", behind="nonsense") == first


def test_the_tables_are_csv_too_and_names_compute_nothing(three: list[User]) -> None:
    three[0].username = "=cmd"
    three[0].save()
    reviewed_together(three)
    facts.fold()
    client = people.admin()
    rows = table(client, "?format=csv")
    assert len(rows) == 7 and rows[4]["what"] == "bad_format" and rows[4]["records"] == "60"
    assert float(rows[4]["alpha"]) == pytest.approx(page("", "").lines[4].alpha.value)
    named = table(client, "?format=csv&pairs=")
    assert {row["first"] for row in named} == {"'=cmd", "tom"} and len(named) == 21


def table(client: Client, query: str) -> list[dict[str, str]]:
    response = client.get(URL + query)
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


def test_no_query_grows_with_the_history(three: list[User]) -> None:
    client = people.admin()

    def asked() -> int:
        facts.fold()
        with CaptureQueriesContext(connection) as queries:
            client.get(URL, {"pairs": ""})
        return len(queries)

    together(three, {"decision": "reject"}, {})
    before = asked()
    reviewed_together(three)
    assert asked() == before
