"""What review pages load: never before one's own review, and then all of it."""

import pytest
from django.test import Client

from generation.models import Call, Injection, Run
from tests import people
from tests.factories import RunFactory, SubcategoryFactory
from tests.learning.histories import reviewed, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return people.reviewer()


def own_review(client: Client, run: Run, **review: object) -> None:
    said(run, reviewer_id=int(client.session["_auth_user_id"]), **review)


def with_call(run: Run) -> Call:
    call = Call.objects.create(
        run=run, stage="extraction", provider="demo", system="Be exact.", user="Do it.\nCheck sizes."
    )
    Injection.objects.create(
        call=call, placeholder="EXTRACTION_REVIEW", guidance_key="k", text="Check sizes.",
        reason="wrong_physical_dimensions_trigger", evidence=[],
    )  # fmt: skip
    return call


def test_before_the_review_nothing_is_told(client: Client) -> None:
    run = reviewed(SubcategoryFactory(), {"bad_format": True})
    with_call(run)
    response = client.get(f"/learning/run/{run.pk}/")
    assert response.status_code == 200
    assert b"Check sizes." not in response.content
    assert b"strip" not in response.content


def test_unknown_runs_are_not_found(client: Client) -> None:
    assert client.get("/learning/run/00000000-0000-7000-8000-000000000000/").status_code == 404


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_the_prompt_as_sent_is_open_once_it_is_decided(client: Client, status: str) -> None:
    run = RunFactory(status=status)
    with_call(run)
    text = client.get(f"/learning/run/{run.pk}/").content.decode()
    assert "Do it." in text
    assert '<div class="injected-text">Check sizes.</div>' in text


def test_the_holdout_is_named(client: Client) -> None:
    run = RunFactory(status="approved", arm="control")
    assert b"holdout" in client.get(f"/learning/run/{run.pk}/").content


def test_who_sent_a_run_back_does_not_see_the_next_rounds_prompt_before_judging_it(client: Client) -> None:
    run = RunFactory()
    with_call(run)
    own_review(client, run, decision="revise")
    Run.objects.filter(pk=run.pk).update(round=2)
    Call.objects.create(run=run, round=2, stage="extraction", provider="demo", user="Second round.")
    text = client.get(f"/learning/run/{run.pk}/").content.decode()
    assert "Do it." in text
    assert "Second round." not in text


def test_what_fell_back_in_a_round_is_shown_once_one_has_judged_that_round(client: Client) -> None:
    run = RunFactory(status="awaiting_review", round=2, degradations=["example"])
    own_review(client, run, round=1, decision="revise")
    assert b"fell back" not in client.get(f"/learning/run/{run.pk}/").content
    own_review(client, run, round=2)
    assert b"fell back: example" in client.get(f"/learning/run/{run.pk}/").content
