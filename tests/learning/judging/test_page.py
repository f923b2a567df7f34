"""/learning/judges/: what a team lead reads of a judge, and its runs; a few sums are read, however many runs."""

import csv
import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from generation import prompts
from generation.models import Institution, PromptVersion, Run
from learning import facts
from tests import people
from tests.learning.judging.pairs import criteria, pair, rubric

pytestmark = pytest.mark.django_db
URL, RUNS = "/learning/judges/", "/learning/judges/runs/"


@pytest.fixture
def client() -> Client:
    return people.signed_in(people.a_reviewer())


def words(client: Client, url: str = URL, **given: str) -> str:
    """The page's text, in one line."""
    facts.fold()
    html = client.get(url, given).content.decode()
    main = html[html.index("<main") :]
    text, inside = "", False
    for sign in main:
        inside = sign == "<" or (inside and sign != ">")
        text += " " if inside or sign == ">" else sign
    return " ".join(text.split())


def table(client: Client, url: str = URL, **given: str) -> list[dict[str, str]]:
    facts.fold()
    response = client.get(url, given | {"format": "csv"})
    assert (
        response["Content-Type"] == "text/csv; charset=utf-8" and "attachment" in response["Content-Disposition"]
    )
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


def test_strangers_are_sent_to_sign_in() -> None:
    nobody = people.signed_in(User.objects.create_user("nobody"))
    for url in (URL, RUNS):
        assert Client().get(url).status_code == 302
        assert nobody.get(url).status_code == 403


def test_an_empty_page_says_what_will_be_here(client: Client) -> None:
    assert "No review without knowing the judge yet" in words(client)
    assert "No run here" in words(client, RUNS)


def test_one_sentence_says_whether_the_judge_is_worth_it(client: Client) -> None:
    for outcome, review, times in [
        ("passed", {}, 12), ("failed", {"decision": "reject"}, 9), ("passed", {"decision": "reject"}, 1),
    ]:  # fmt: skip
        for _ in range(times):
            pair(outcome, review)
    text = words(client)
    assert (
        "Of 22 drafts that people reviewed without knowing what the judge had found, it agreed on 21 (95 %)"
        in text
    )
    assert "Passing everything would have agreed on 55 %." in text
    assert "the judge is better than passing everything, beyond chance." in text
    assert "1 of 10 bad" in text and "0 of 12 good" in text
    for _ in range(9):
        pair("failed")
    assert "passing everything may be chance" in words(client)
    for _ in range(20):
        pair("failed")
    assert "the judge is worse than passing everything, beyond chance" in words(client)


def test_criteria_stand_beside_what_the_flow_s_form_calls_them(client: Client) -> None:
    pair("failed", {"bad_format": True}, flow="editorial", kind="criteria", result=criteria(format=False))
    text = words(client)
    for told in ("Format Bad layout", "Fact accuracy Wrong information or Wrong figures", "Verdict not approved"):
        assert told in text
    assert "the judge said the same of all" in text  # no kappa, and why


def versions() -> tuple[PromptVersion, PromptVersion]:
    prompts.seed()
    first = prompts.live("editorial", "judge")
    return first, prompts.save_version(first.prompt, system=first.system, user=f"Anew.\n{first.user}")


def test_each_prompt_and_model_by_itself(client: Client) -> None:
    first, second = versions()
    for version, model, outcome in [
        (first, "old", "failed"),
        (second, "new", "passed"),
        (second, "new", "passed"),
    ]:
        pair(outcome, flow="editorial", kind="criteria", result=criteria(), version=version, model=model)
    text = words(client)
    assert "Of 3 drafts" in text and text.index("version 2, new") < text.rindex("version 1, old")
    assert "Of 2 drafts" in words(client, flow="editorial", version="2", model="new")
    assert "Of 3 drafts" in words(client, flow="editorial", version="9", model="new")
    rows = [row for row in table(client) if row["criterion"] == "verdict"]
    assert [(row["prompt_version"], row["model"], row["compared"]) for row in rows] == [
        ("", "", "3"), ("2", "new", "2"), ("1", "old", "1"),
    ]  # fmt: skip
    assert rows[0]["agreed"] == "0.666667" and rows[0]["no_kappa"] == "people said the same of all"


def test_false_passes_newest_first_and_by_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("learning.judging.missed.PAGE", 2)
    now = timezone.now()
    for number in range(5):
        at = now + timedelta(minutes=1 + number)
        pair("passed", {"decision": "reject", "created_at": at}, title=f"Bad {number}")
    pair("failed", title="Good, held back")
    facts.fold()
    seen, following = [], ""
    while True:
        page = client.get(RUNS, {"flow": "item", "of": "passes", "after": following}).context["page"]
        seen += [row.run.title for row in page.rows]
        following = page.following
        if not following:
            break
    assert seen == ["Bad 4", "Bad 3", "Bad 2", "Bad 1", "Bad 0"]
    assert "Good, held back" in words(client, RUNS, flow="item", of="fails")
    assert [row["title"] for row in table(client, RUNS, flow="item", of="passes")] == seen
    for odd in ("x", "_", "2026-01-01T00:00:00_1", "2026-13-01T00:00:00+00:00_1", "2026-01-01T00:00:00+00:00_²"):
        assert len(client.get(RUNS, {"after": odd}).context["page"].rows) == 2


@pytest.mark.parametrize(
    ("fields", "listed"),
    [
        ({"status": "approved"}, True),
        ({"status": "rejected"}, True),
        ({"status": "stopped"}, True),
        ({"status": "queued", "round": 2}, False),
        ({"status": "awaiting_review", "round": 2, "revision": 2}, False),
        ({"status": "failed", "round": 2, "revision": 2}, False),
    ],
)
def test_of_a_run_that_is_still_to_be_reviewed_nothing_is_told(
    client: Client, fields: dict[str, object], listed: bool
) -> None:
    run = pair("passed", {"decision": "revise"}).run
    Run.objects.filter(pk=run.pk).update(**fields)
    assert (run.title in words(client, RUNS)) is listed
    assert bool(table(client, RUNS)) is listed


def scored(good: list[float], bad: list[float], institution: Institution | None = None) -> None:
    for composite in good:
        pair("passed", flow="question", kind="rubric", result=rubric(composite), institution=institution)
    for composite in bad:
        pair(
            "passed",
            {"decision": "reject"},
            flow="question",
            kind="rubric",
            result=rubric(composite),
            institution=institution,
        )


def test_a_threshold_is_suggested_and_never_set(client: Client) -> None:
    school = Institution.objects.create(slug="north", name="North", quality_threshold="0.60")
    scored([0.8 + n / 100 for n in range(12)], [0.6 + n / 100 for n in range(12)], institution=school)
    assert "With 0.60, in force, 12 of 12 bad ones reach the threshold and 0 of 12 good ones" in words(client)
    text = words(client, institution="north")
    assert "With 0.60, in force, 12 of 12 bad ones reach the threshold" in text
    assert "Suggested: 0.76. 0 bad ones would have passed, 0 good ones been held back." in text
    assert "Set the threshold" not in text
    admin = people.admin()
    page = admin.get(URL, {"institution": "north"}).content.decode()
    assert f"/admin/generation/institution/{school.pk}/change/" in page
    school.refresh_from_db()
    assert str(school.quality_threshold) == "0.60"
    rows = table(client, institution="north", table="threshold")
    assert len(rows) == 101 and [row["threshold"] for row in rows if row["suggested"] == "true"] == ["0.76"]
    assert "Not compared, since no signal of a review speaks of it: Bloom’s level" in text


@pytest.mark.parametrize("other", ["0.62", None])
def test_where_institutions_differ_none_is_said_to_be_in_force(client: Client, other: str | None) -> None:
    """other: the second institution's threshold; None: runs without an institution, by the default."""
    for slug, level in [("north", "0.60"), ("south", other)]:
        school = level and Institution.objects.create(slug=slug, name=slug, quality_threshold=level)
        scored([0.8 + n / 100 for n in range(12)], [0.6 + n / 100 for n in range(12)], institution=school or None)
    text = words(client)
    assert "With the default, 0.70, 4 of 24 bad ones would reach the threshold and 0 of 24 good ones fall" in text
    assert "Institutions have their own: choose one." in text and "the default, 0.70" in text
    assert "At the default, 0.70: 4 of 24 bad ones pass" in text  # of the picture
    assert "in force" not in text and "suggested" not in text and "Suggested" not in text
    rows = table(client, table="threshold")
    assert not [row for row in rows if "true" in (row["in_force"], row["suggested"])]
    assert "With 0.60, in force" in words(client, institution="north")


def test_too_few_to_suggest(client: Client) -> None:
    scored([0.9] * 9, [0.6] * 30)
    assert "Not enough yet" in words(client)
    scored([0.9], [])
    assert "No other threshold would have cost less" in words(client)


def test_as_many_queries_for_many_runs_as_for_few_and_no_history(client: Client) -> None:
    def asked(url: str) -> int:
        client.get(url)
        with CaptureQueriesContext(connection) as found:
            client.get(url, {"flow": "question"})
        if url == URL:
            tables = " ".join(query["sql"] for query in found)
            for name in ("generation_judgement", "review_reviewevent", "learning_judgingfact"):
                assert f'FROM "{name}"' not in tables
        return len(found)

    scored([0.9], [0.8])
    facts.fold()
    few = asked(URL), asked(RUNS)
    scored([0.9] * 20, [0.8] * 20)
    facts.fold()
    assert (asked(URL), asked(RUNS)) == few
