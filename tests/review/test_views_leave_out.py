"""Leaving one's own review out of learning, on the page of a decided run."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from generation.models import Run
from review.models import ReviewEvent
from review.recording import Fields, submit
from tests.factories import DraftFactory, RunFactory
from tests.people import a_reviewer, signed_in

pytestmark = pytest.mark.django_db
BUTTON = "Leave out of learning"


@pytest.fixture
def decided() -> Run:
    run = RunFactory()
    DraftFactory(run=run)
    submit(run.pk, Fields(decision="reject", bad_format=True), reviewer=a_reviewer("author"), revision=1)
    return Run.objects.get(pk=run.pk)


def as_person(name: str) -> Client:
    return signed_in(User.objects.get(username=name))


def test_the_author_leaves_it_out_and_the_decision_stands(decided: Run) -> None:
    client = as_person("author")
    event = decided.review_events.get()
    assert BUTTON in client.get(f"/runs/{decided.pk}/").content.decode()
    page = client.post(f"/runs/{decided.pk}/leave-out/{event.pk}/", follow=True).content.decode()
    assert "Left out" in page
    assert BUTTON not in page
    assert not ReviewEvent.objects.counting().exists()
    decided.refresh_from_db()
    assert (decided.status, decided.last_review_event_id) == ("rejected", None)


def test_others_neither_see_nor_may_it(decided: Run) -> None:
    other = signed_in(a_reviewer("other"))
    event = decided.review_events.get()
    assert BUTTON not in other.get(f"/runs/{decided.pk}/").content.decode()
    assert other.post(f"/runs/{decided.pk}/leave-out/{event.pk}/").status_code == 403
    assert ReviewEvent.objects.counting().count() == 1


def test_a_review_of_another_run_is_not_found(decided: Run) -> None:
    event = decided.review_events.get()
    client = as_person("author")
    assert client.post(f"/runs/{RunFactory().pk}/leave-out/{event.pk}/").status_code == 404
    assert client.get(f"/runs/{decided.pk}/leave-out/{event.pk}/").status_code == 405


def test_twice_is_told(decided: Run) -> None:
    client, event = as_person("author"), decided.review_events.get()
    client.post(f"/runs/{decided.pk}/leave-out/{event.pk}/")
    page = client.post(f"/runs/{decided.pk}/leave-out/{event.pk}/", follow=True).content.decode()
    assert "does not count in learning" in page
