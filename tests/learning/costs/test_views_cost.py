"""/learning/cost/: what an accepted record costs, by stage and version, in sums that add up."""

import csv
import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Call, Prompt
from learning import facts
from learning.costs.measures import MEASURES, money
from learning.costs.page import page
from learning.costs.savings import added, saved
from learning.templatetags.costs import axis
from tests import people
from tests.factories import UserFactory
from tests.learning.costs.scenes import spent

pytestmark = pytest.mark.django_db
URL = "/learning/cost/"


@pytest.fixture
def two(db: None) -> list[User]:
    return [UserFactory(), UserFactory()]


def text_of(client: Client, query: str = "") -> str:
    response = client.get(URL + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_an_empty_page_says_what_will_be_here() -> None:
    assert "No run is over yet" in text_of(people.reviewer())


def test_all_money_of_all_runs_that_are_over_by_those_accepted(two: list[User]) -> None:
    made = spent(two)
    facts.fold()
    shown = page("", "")
    accepted = sum(run.status == "approved" for run in made)
    assert (shown.runs, shown.whole.accepted, shown.whole.first_accepted) == (48, accepted, accepted)
    cost = sum(call.cost_usd for call in Call.objects.all())
    assert shown.whole.sums["cost"] == cost * 1_000_000
    assert shown.whole.money == money(float(cost) * 1_000_000 / accepted)
    assert sum(part.share for part in shown.parts) == pytest.approx(100)
    text = text_of(people.reviewer())
    assert f"an accepted record costs {shown.whole.money}," in text and "of it for Extraction" in text
    assert "All that was asked of models for 48 runs that are over, by the 36 accepted of them" in text


def test_versions_stand_side_by_side(two: list[User]) -> None:
    spent(two)
    facts.fold()
    stage = next(stage for stage in page("item", "money").stages if stage.name == "extraction")
    second, first = stage.versions
    assert (first.runs, second.runs) == (24, 24) and second.is_live and not first.is_live
    assert [first.acceptance, second.acceptance] == pytest.approx([16 / 24, 20 / 24])
    before, since = first.sums["cost"], second.sums["cost"]
    assert before + since == stage.sums["cost"] and before > since
    prompt = Prompt.objects.get(flow="item", stage="extraction").pk
    assert f"/admin/generation/prompt/{prompt}/versions/2/" in people.admin().get(URL).content.decode()
    assert "/admin/generation/prompt/" not in people.reviewer().get(URL).content.decode()


def test_weeks_and_what_they_are_told_in(two: list[User]) -> None:
    spent(two, weeks=3)
    facts.fold()
    shown = page("item", "time")
    assert [week.sums["runs"] for week in shown.weeks] == [0] * 5 + [6] * 3
    assert [week.per(shown.measure) is None for week in shown.weeks] == [True] * 5 + [False] * 3
    cost = f"{shown.whole.time} of the models’ time"
    assert f"an accepted record costs {cost}," in text_of(people.reviewer(), "?by=time")
    assert page("item", "nonsense").by == "money"


def test_what_a_provider_does_not_tell_is_not_told_as_nothing(two: list[User]) -> None:
    """The demo provider: neither money nor tokens, milliseconds alone."""
    spent(two, weeks=3)
    silent = dict.fromkeys(("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"), 0)
    Call.objects.update(cost_usd=0, **silent)
    facts.fold()
    reader = people.reviewer()
    assert page("item", "").by == "time"
    for by, says in [("tokens", "The provider told of no tokens."), ("money", "No cost of these calls is known.")]:
        text = text_of(reader, f"?by={by}")
        assert says in text and "Nothing to draw of these weeks." in text and "record costs" not in text
    assert "Nothing to draw" not in text_of(reader)


def test_tokens_are_told_with_their_unit_and_shares_in_one_column(two: list[User]) -> None:
    spent(two, weeks=3)
    facts.fold()
    text = text_of(people.reviewer(), "?by=tokens")
    shown = page("item", "tokens")
    assert f"an accepted record costs {shown.whole.tokens} tokens," in text
    accepted = round(100 * shown.whole.accepted / shown.runs)
    assert f"All stages {shown.runs} {accepted} % " in text


@pytest.mark.parametrize(
    ("by", "top", "words"),
    [("tokens", 1, ["1", "0"]), ("tokens", 3, ["3", "2", "0"]), ("time", 1, ["1 ms", "0 ms"])],
)
def test_the_axis_tells_nothing_twice(by: str, top: float, words: list[str]) -> None:
    assert [rule["text"] for rule in axis(MEASURES[by], top)] == words


@pytest.mark.parametrize(
    ("micro", "words"),
    [(0, "$0.00"), (40, "< $0.0001"), (60, "$0.0001"), (7000, "$0.0070"), (1_234_567, "$1.23")],
)
def test_money_lines_up(micro: float, words: str) -> None:
    assert money(micro) == words


SUMS: dict[str, Any] = dict.fromkeys(
    ("calls", "guided", "injected_characters", "injected_tokens", "input_tokens", "cache_read_tokens",
     "cache_write_tokens"), 0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "changes", "micro"),
    [
        ("dear", {"cache_read_tokens": 1000}, 1000 * (3 - 0.3)),
        ("dear-20260101", {"cache_write_tokens": 1000}, -1000 * (4.25 - 3)),
        ("dear", {"cache_read_tokens": 1000, "cache_write_tokens": 1000}, 2700 - 1250),
        ("dear", {"input_tokens": 5}, 0),
        ("dear@economy", {"cache_read_tokens": 1000}, 500 * (3 - 0.3)),
        ("unknown", {"cache_read_tokens": 1}, None),
        ("unknown@economy", {"cache_read_tokens": 1}, None),
        ("unknown", {"input_tokens": 1}, 0),
    ],
)
def test_what_caching_saves(settings: Any, model: str, changes: dict[str, int], micro: float | None) -> None:
    settings.PRICES_USD = {"dear": ("3", "15", "4.25", "0.3")}
    found = saved({"": SUMS, model: SUMS | changes}, accepted=10)
    assert found.micro == (None if micro is None else pytest.approx(micro))
    assert found.money == ("–" if micro is None else ("−" if micro < 0 else "") + money(abs(micro) / 10))


def test_what_guidance_adds(settings: Any) -> None:
    settings.PRICES_USD = {"dear": ("3", "15", "4.25", "0.3")}
    sums = SUMS | {"calls": 8, "guided": 4, "injected_characters": 800, "injected_tokens": 200}
    found = added({"dear": sums}, accepted=2)
    assert (found.share, found.characters_per_prompt, found.tokens_per_prompt) == (0.5, 200, 50)
    assert found.micro == pytest.approx(600) and found.money == "$0.0003"
    assert added({"unknown": sums}, accepted=2).money == "–"
    both = added({"dear": sums, "dear@economy": sums}, accepted=2)
    assert both.tokens == 400 and both.micro == pytest.approx(900)


def test_the_tables_are_csv_too(two: list[User]) -> None:
    spent(two)
    facts.fold()
    client = people.reviewer()
    rows = table(client, "?format=csv")
    assert sum(int(row["cost"]) for row in rows) == page("", "").whole.sums["cost"]
    assert {(row["stage"], row["version"]) for row in rows} >= {("extraction", "1"), ("extraction", "2"), ("", "")}
    weeks = table(client, "?format=csv&weeks=")
    assert len(weeks) == 8 and sum(int(row["runs"]) for row in weeks) == 48


def table(client: Client, query: str) -> list[dict[str, str]]:
    response = client.get(URL + query)
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


def test_no_query_grows_with_the_history_and_none_looks_at_runs(two: list[User]) -> None:
    client = people.reviewer()

    def asked() -> list[str]:
        facts.fold()
        with CaptureQueriesContext(connection) as queries:
            client.get(URL)
        return [query["sql"] for query in queries]

    spent(two, weeks=1)
    before = asked()
    spent(two, weeks=2)
    assert len(asked()) == len(before)
    for query in before:
        assert not re.search(r'(FROM|JOIN) "(generation_call|generation_injection|learning_costfact)', query)
