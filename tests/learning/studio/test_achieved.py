"""What versions achieved: counted by the database and a task, told as of a time, read without the history."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation import pipeline, prompts
from generation.models import PromptVersion, Run, Subcategory
from generation.providers.base import ProviderError
from learning import achieved, facts
from learning.models import Achieved, AchievedFact, Due
from review import recording
from tests import people
from tests.factories import UserFactory
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import draft_of, past_runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(db: None) -> User:
    return UserFactory()


def sums(version: PromptVersion) -> dict[str, int]:
    """What is not nothing, of one version."""
    return {place: value for place, value in achieved.of([version.pk])[version.pk].items() if value}


def live(stage: str = "extraction") -> PromptVersion:
    return prompts.live("item", stage)


MADE = {"calls": 1, "input_tokens": 100, "output_tokens": 10}


def counted(version: PromptVersion) -> dict[str, int]:
    return {place: value for place, value in sums(version).items() if place != "duration_ms"}


def test_a_run_counts_for_the_versions_that_made_it(reviewed: list[Run]) -> None:
    assert facts.as_of() is None and sums(live()) == {}
    facts.fold()
    assert counted(live()) == {
        "runs": 4, "first": 3, "accepted": 1, "wrong_information": 1, "judged": 4, "passed": 4,
        "calls": 4, "input_tokens": 400, "output_tokens": 40,
    }  # fmt: skip
    assert counted(live("supervisor"))["runs"] == 4 and counted(live("formatter")) == {}
    assert facts.as_of() is not None and not Due.objects.exists()


def test_a_review_taken_back_counts_no_more_and_the_next_one_is_the_first(
    scripted: Scripted, subcategory: Subcategory, person: User
) -> None:
    run = past_runs(subcategory)[0]
    recording.submit(run.pk, recording.Fields("approve", bad_format=False), reviewer=person)
    facts.fold()
    assert counted(live()) == {"runs": 1, "first": 1, "accepted": 1, "judged": 1, "passed": 1} | MADE
    recording.undo(run.pk, person)
    assert counted(live())["accepted"] == 1, "not yet: it is told as of a time"
    facts.fold()
    assert counted(live()) == {"runs": 1, "judged": 1, "passed": 1} | MADE
    recording.submit(run.pk, recording.Fields("reject", bad_format=True), reviewer=person)
    facts.fold()
    assert counted(live()) == {"runs": 1, "first": 1, "bad_format": 1, "judged": 1, "passed": 1} | MADE


def test_each_version_has_its_own_and_a_later_round_is_nobodys(
    scripted: Scripted, subcategory: Subcategory, person: User
) -> None:
    first = live()
    scripted.play(supervisor=["FAIL: no", "PASS"])
    run = past_runs(subcategory)[0]
    second = draft_of()
    prompts.make_live(second, by=None, why="better")
    recording.submit(run.pk, recording.Fields("revise", wrong_information=True), reviewer=person)
    pipeline.generate(run.pk)
    recording.submit(run.pk, recording.Fields("approve"), reviewer=person)
    past_runs(subcategory)
    facts.fold()
    assert counted(first) == {
        "runs": 1, "first": 1, "wrong_information": 1, "judged": 1,
        "calls": 2, "input_tokens": 200, "output_tokens": 20,
    }  # fmt: skip
    assert counted(second) == {"runs": 1, "judged": 1, "passed": 1} | MADE


def test_a_judge_that_could_not_judge_and_calls_that_failed(scripted: Scripted, subcategory: Subcategory) -> None:
    scripted.play(supervisor="neither")
    past_runs(subcategory)
    scripted.play(extraction=ProviderError("refused", "no"))
    past_runs(subcategory)
    facts.fold()
    assert counted(live()) == {"runs": 1, "judged": 1, "unavailable": 1} | MADE, "no answer, no run of the version"


def test_folding_again_changes_nothing_and_counting_anew_says_the_same(reviewed: list[Run]) -> None:
    facts.fold()
    before = list(Achieved.objects.order_by("pk").values()), AchievedFact.objects.count()
    assert facts.fold() == 0
    Due.objects.bulk_create(Due(run_id=run.pk) for run in reviewed * 2)
    assert facts.fold() == 8
    call_command("rebuild_facts")
    assert (list(Achieved.objects.order_by("pk").values()), AchievedFact.objects.count()) == before


def test_more_than_is_folded_at_once(reviewed: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "AT_ONCE", 3)
    facts.fold()
    assert counted(live())["runs"] == 4 and not Due.objects.exists()


def test_reading_never_looks_at_runs(reviewed: list[Run]) -> None:
    facts.fold()
    with CaptureQueriesContext(connection) as asked:
        people.admin().get(f"/admin/studio/prompts/{live().prompt_id}/achieved/")
    tables = " ".join(query["sql"] for query in asked)
    for table in (
        "generation_run",
        "generation_call",
        "generation_judgement",
        "review_reviewevent",
        "achievedfact",
    ):
        assert f'FROM "{table}' not in tables and f'JOIN "{table}' not in tables


def test_the_page_sets_two_versions_side_by_side(
    reviewed: list[Run], subcategory: Subcategory, scripted: Scripted, person: User
) -> None:
    first, second = live(), draft_of()
    prompts.make_live(second, by=None, why="better")
    scripted.play(extraction=record())
    for run in past_runs(subcategory, 3):
        recording.submit(run.pk, recording.Fields("approve"), reviewer=person)
    client, url = people.admin(), f"/admin/studio/prompts/{first.prompt_id}/achieved/"
    assert "nothing is counted yet" in text_of(client, url)
    facts.fold()
    text = text_of(client, url)
    assert re.search(r"as of \d s ago", text) and "Version 1 beside version 2" in text
    assert "33 % 1 of 3" in text and "-6 to +94 points may be chance" in text
    assert "100 % 3 of 3" in text and "110" in text, "tokens per run"
    other = client.get(url, {"before": 2, "after": 1}, headers={"HX-Request": "true"}).content.decode()
    assert "Version 2 beside version 1" in other and "<html" not in other
    assert "Version 1 beside version 2" in text_of(client, f"{url}?before=nonsense")


def text_of(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(url).content.decode()))


def test_nobody_else_may_see_it(db: None) -> None:
    prompts.seed()
    url = f"/admin/studio/prompts/{live().prompt_id}/achieved/"
    assert people.signed_in(UserFactory(is_staff=True)).get(url).status_code == 403
    assert people.outsider().get(url).status_code == 302
