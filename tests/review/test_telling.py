"""Webhooks of reviews: one for each event of the history, also for those that are written late, and no words."""

from collections.abc import Collection
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks
from pytest_django.fixtures import Settings

from generation.models import WebhookEndpoint, WebhookMessage
from review import recording
from review.models import ReviewEvent
from review.recording import Fields
from tests.callers import Caller
from tests.factories import DraftFactory, UserFactory
from tests.generation.webhooks.conftest import to
from tests.people import a_reviewer
from tests.review.reviews import FULL, broken_history, settle

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _somebody_listens(db: None) -> None:
    to("https://example.org/hook")


def told() -> list[dict[str, Any]]:
    return list(
        WebhookMessage.objects.filter(type="review.recorded").order_by("id").values_list("data", flat=True)
    )


def test_a_review_is_told_with_its_event(settings: Settings) -> None:
    settings.FOLDBACK_URL = "https://foldback.example.org"
    run = DraftFactory().run
    event = recording.submit(run.pk, FULL, reviewer=UserFactory()).event
    assert event is not None
    [data] = told()
    assert data == {
        "event": event.pk,
        "run": str(run.pk),
        "flow": "item",
        "sequence": 1,
        "kind": "submitted",
        "undoes": None,
        "decision": "approve",
        "round": 1,
        "source": "person",
        "created_at": event.created_at.isoformat().replace("+00:00", "Z"),
        "url": f"https://foldback.example.org/api/v1/runs/{run.pk}/reviews",
        "web_url": f"https://foldback.example.org/runs/{run.pk}/",
    }
    [read] = Caller("read").get(f"/runs/{run.pk}/reviews").json()["items"]
    assert read["id"] == data["event"]


def test_no_word_of_a_reviewer_is_told() -> None:
    said = Fields("revise", notes="geheim", missing_spec=["geheim"], bad_format=True)
    recording.submit(DraftFactory().run.pk, said, reviewer=UserFactory(username="geheim"))
    assert "geheim" not in str(told())


def test_what_takes_a_review_back_is_told_too() -> None:
    run, reviewer = DraftFactory().run, a_reviewer()
    first = recording.submit(run.pk, FULL, reviewer=reviewer).event
    assert first is not None
    recording.leave_out(first.pk, reviewer)
    recording.undo(run.pk, reviewer)
    kinds = [(data["kind"], data["undoes"], data["decision"]) for data in told()]
    assert kinds == [("submitted", None, "approve"), ("left_out", first.pk, None), ("undone", first.pk, None)]


def test_a_machines_review_says_so() -> None:
    recording.submit(DraftFactory().run.pk, FULL, service="nightly")
    assert told()[0]["source"] == "machine"


def test_one_that_is_written_late_is_told_when_it_is_written() -> None:
    run = DraftFactory().run
    with broken_history():
        recording.submit(run.pk, FULL, reviewer=UserFactory())
    assert told() == []
    settle()
    assert recording.write_missing_events() == 1
    assert told()[0]["event"] == ReviewEvent.objects.get().pk
    recording.write_missing_events()
    assert len(told()) == 1


def test_a_message_that_cannot_be_stored_holds_nobody_up_and_is_told_later() -> None:
    """Event and message stand or fall together, and the review stands in any case."""
    run = DraftFactory().run
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE generation_webhookmessage RENAME TO away")
        form = recording.submit(run.pk, FULL, reviewer=UserFactory()).form
        cursor.execute("ALTER TABLE away RENAME TO generation_webhookmessage")
    assert form.state == "submitted" and not ReviewEvent.objects.exists()
    settle()
    recording.write_missing_events()
    assert len(told()) == ReviewEvent.objects.count() == 1


@pytest.mark.parametrize(("listens", "statements"), [(True, 1), (False, 0)])
def test_it_costs_one_statement_where_anybody_listens(listens: bool, statements: int) -> None:
    WebhookEndpoint.objects.update(enabled=listens)
    run, reviewer = DraftFactory().run, UserFactory()
    with CaptureQueriesContext(connection) as captured:
        recording.submit(run.pk, FULL, reviewer=reviewer)
    assert len([query for query in captured if "webhookmessage" in query["sql"]]) == statements == len(told())


def test_who_listens_to_other_things_is_told_nothing() -> None:
    WebhookEndpoint.objects.update(types=["run.finished"])
    recording.submit(DraftFactory().run.pk, FULL, reviewer=UserFactory())
    assert told() == []


def test_learning_hears_of_it_once_it_stands(
    settings: Settings, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    settings.AFTER_REVIEW = "tests.review.test_telling.heard"
    run = DraftFactory().run
    HEARD.clear()
    with django_capture_on_commit_callbacks(execute=True):
        recording.submit(run.pk, FULL, reviewer=UserFactory())
        assert HEARD == []
    assert [run.pk] == HEARD


HEARD: list[Any] = []


def heard(run_id: Any, wanted: Collection[str]) -> None:
    HEARD.append(run_id)
