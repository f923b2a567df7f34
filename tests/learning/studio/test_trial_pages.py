"""Pages of trials: start one knowing what it costs, follow it, look at each run beside what was made then."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from generation.models import PromptVersion, Run, Subcategory, Trial, TriedRun
from generation.trials import starting
from generation.trials.working import work_on
from tests import people
from tests.factories import UserFactory
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import draft_of, past_runs, tried

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return people.admin()


@pytest.fixture
def version(reviewed: list[Run]) -> PromptVersion:
    return draft_of()


def text_of(client: Client, url: str, **query: str) -> str:
    response = client.get(url, query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_it_says_what_it_will_cost_before_it_starts(
    client: Client, version: PromptVersion, reviewed: list[Run], subcategory: Subcategory, settings: Settings
) -> None:
    settings.FOLDBACK_PROVIDER, settings.FOLDBACK_MODEL = "anthropic", "dear"
    settings.PRICES_USD = {"dear": ("10", "0", "0", "0")}
    settings.FOLDBACK_SPEND_CAP_USD = Decimal("0.005")
    url = f"/admin/studio/prompts/{version.prompt_id}/trial/"
    text = text_of(client, url)
    assert "Try version 2 on 4 runs" in text and "4 runs, about $0.008" in text
    assert "$0.00 of today’s $0.005 are spent" in text and "it will wait for the next day" in text
    for words in ("Approved", "Approved, corrected", "Rejected", "nobody yet"):
        assert words in text
    chosen = [run.pk for run in reviewed[:2]]
    asked: dict[str, Any] = {"version": 2, "subcategory": subcategory.slug, "picked": 1, "run": chosen}
    fragment = client.get(url, asked, headers={"HX-Request": "true"}).content.decode()
    assert "about <strong>$0.004</strong>" in fragment and "<html" not in fragment
    response = client.post(url, asked)
    trial = Trial.objects.get()
    assert response.headers["Location"] == f"/admin/studio/trials/{trial.pk}/"
    assert (trial.estimate_usd, trial.runs.count()) == (Decimal("0.004"), 2)


@pytest.mark.parametrize("chosen", [[], ["nonsense"]])
def test_a_choice_that_is_none_is_refused(client: Client, version: PromptVersion, chosen: list[str]) -> None:
    url = f"/admin/studio/prompts/{version.prompt_id}/trial/"
    response = client.post(url, {"picked": 1, "run": chosen})
    assert response.status_code == (404 if chosen else 422)
    assert chosen or "Choose one run at least" in response.content.decode()
    assert not Trial.objects.exists()


def test_a_prompt_without_past_runs_says_what_it_needs(client: Client, version: PromptVersion) -> None:
    other = PromptVersion.objects.filter(prompt__flow="question").earliest("pk")
    text = text_of(client, f"/admin/studio/prompts/{other.prompt_id}/trial/")
    assert "There is nothing to try it on yet" in text and "Try version" not in text


def test_a_trial_stands_beside_what_was_made_then(
    client: Client,
    version: PromptVersion,
    reviewed: list[Run],
    subcategory: Subcategory,
    admin: User,
    scripted: Scripted,
) -> None:
    scripted.play(extraction=record(name="Right"), supervisor=["FAIL: no", "PASS", "PASS"])
    trial = tried(version, subcategory, reviewed, admin)
    url = f"/admin/studio/trials/{trial.pk}/"
    text = text_of(client, url)
    assert "4 of 4 runs are over" in text and "Over" in text
    assert "Passed by the judge at once then 4 of 4; 51 to 100 % at 95 % confidence 4 of 4" in text
    assert "trial 3 of 4; 30 to 95 % at 95 % confidence 3 of 4" in text
    assert "Records just as people approved them then 1 of 2" in text, "of both approved ones, one was corrected"
    assert "Fields unlike the approved record then 0.5 trial 0.5" in text
    assert "every 2s" not in client.get(url).content.decode()
    second = client.get(f"{url}2/").content.decode()
    assert "<del>Then</del>" in second and "<ins>Right</ins>" in second
    page = text_of(client, f"{url}2/")
    assert "Approved, corrected" in page and "Rosa Stein" in page
    assert "Fields unlike the record that people approved: 1 then, 0 in the trial" in page
    assert "A new wording." in page, "the prompt as it was sent"
    rejected = text_of(client, f"{url}3/")
    assert "The name is of another drill." in rejected and "wrong information : yes" in rejected.replace(
        ": ", " : "
    )
    assert client.get(f"{url}9/").status_code == 404


def test_it_is_followed_while_it_runs_and_can_be_stopped(
    client: Client, version: PromptVersion, reviewed: list[Run], subcategory: Subcategory, admin: User
) -> None:
    trial = starting.start(version, subcategory, reviewed, admin)
    url = f"/admin/studio/trials/{trial.pk}/"
    go_on_first(trial)
    fragment = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 2s"' in fragment and "<html" not in fragment
    assert "1 of 4 runs are over" in fragment and "Waits" in fragment
    response = client.post(f"{url}stop/", follow=True)
    assert "3 runs were stopped." in response.content.decode()
    over = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "every 2s" not in over and "The trial is over." in over and "Stopped" in over


def go_on_first(trial: Trial) -> None:
    work_on(trial.runs.earliest("position").pk)


def test_a_judge_is_measured_by_what_people_said(
    client: Client, reviewed: list[Run], subcategory: Subcategory, admin: User, scripted: Scripted
) -> None:
    version = draft_of("supervisor")
    scripted.play(supervisor=["PASS", "FAIL: the name", "FAIL: the name", "PASS"])
    trial = tried(version, subcategory, reviewed, admin)
    text = text_of(client, f"/admin/studio/trials/{trial.pk}/")
    assert "The judge said what people said" in text
    assert "1 of 3; 6 to 79 %" in text and "3 of 3; 44 to 100 %" in text


@pytest.mark.parametrize("may", [["view_prompt"], []])
def test_who_may_not_change_prompts_spends_nothing(
    version: PromptVersion, reviewed: list[Run], subcategory: Subcategory, admin: User, may: list[str]
) -> None:
    user = UserFactory(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=may))
    client = people.signed_in(user)
    trial = tried(version, subcategory, reviewed[:1], admin)
    url = f"/admin/studio/prompts/{version.prompt_id}/trial/"
    assert client.get(url).status_code == (200 if may else 403)
    assert client.get(f"/admin/studio/trials/{trial.pk}/").status_code == (200 if may else 403)
    assert client.post(url, {"picked": 1, "run": [reviewed[0].pk]}).status_code == 403
    assert client.post(f"/admin/studio/trials/{trial.pk}/stop/").status_code == 403
    assert Trial.objects.count() == 1


def test_pages_ask_as_much_for_two_runs_as_for_twenty(
    client: Client, version: PromptVersion, subcategory: Subcategory, admin: User
) -> None:
    runs = past_runs(subcategory, 18)
    few, many = tried(version, subcategory, runs[:2], admin), tried(version, subcategory, runs, admin)
    client.get(f"/admin/studio/trials/{few.pk}/")
    counts = []
    for trial in (few, many):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            client.get(f"/admin/studio/trials/{trial.pk}/")
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 16
    with CaptureQueriesContext(connection) as asked:
        client.get(f"/admin/studio/prompts/{version.prompt_id}/trial/")
    assert len(asked) <= 30
    assert TriedRun.objects.filter(trial=many, status="awaiting_review").count() == 18
