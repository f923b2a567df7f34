"""Webhooks of triggers: the difference to what was told last, once, whatever moved it."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from generation.models import Subcategory, WebhookEndpoint, WebhookMessage
from learning import telling
from learning.models import FieldSynonym, ToldTriggers
from learning.tasks import tell_all_triggers, tell_triggers
from review import recording
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.generation.webhooks.conftest import to
from tests.learning.histories import history, reviewed, taken_back
from tests.people import a_reviewer

pytestmark = pytest.mark.django_db
BAD = {"bad_format": True}


@pytest.fixture
def subcategory(db: None) -> Subcategory:
    to("https://example.org/hook", "trigger.changed")
    found: Subcategory = SubcategoryFactory(slug="drills")
    return found


def told() -> list[dict[str, Any]]:
    return list(WebhookMessage.objects.order_by("id").values_list("data", flat=True))


def test_a_trigger_that_begins_and_ends_is_told_once_each(subcategory: Subcategory) -> None:
    run = reviewed(subcategory, BAD)
    for _ in range(2):
        tell_triggers(str(run.pk))
    history(subcategory, [[{}]] * 4)
    for _ in range(2):
        tell_triggers(str(run.pk))
    assert told() == [
        {
            "flow": "item",
            "subcategory": "drills",
            "fired": ["bad_format_trigger"],
            "began": ["bad_format_trigger"],
            "ended": [],
            "reviewed": 1,
            "low_confidence": True,
            "url": "/api/v1/subcategories/drills/triggers?flow=item",
            "web_url": "/learning/drills/?flow=item",
        },
        told()[0] | {"fired": [], "began": [], "ended": ["bad_format_trigger"], "reviewed": 5},
    ]


def test_one_that_never_fired_is_not_told(subcategory: Subcategory) -> None:
    run = reviewed(subcategory, {})
    tell_triggers(str(run.pk))
    assert tell_all_triggers() == 0 and told() == []


def test_an_undone_review_ends_what_it_began(subcategory: Subcategory) -> None:
    run = reviewed(subcategory, BAD)
    tell_triggers(str(run.pk))
    event = run.review_events.get()
    taken_back(event, "undone")
    tell_triggers(str(run.pk))
    assert [data["fired"] for data in told()] == [["bad_format_trigger"], []]


def test_a_corrected_subcategory_is_told_in_both(subcategory: Subcategory) -> None:
    other = SubcategoryFactory(slug="saws")
    reviewer = a_reviewer()
    run = DraftFactory(run=RunFactory(subcategory=subcategory)).run
    recording.submit(run.pk, Fields("revise", bad_format=True), reviewer=reviewer)
    tell_triggers(str(run.pk))
    assert [(data["subcategory"], data["fired"]) for data in told()] == [("drills", ["bad_format_trigger"])]
    recording.undo(run.pk, reviewer)
    recording.submit(run.pk, Fields("approve", bad_format=True, subcategory=other), reviewer=reviewer)
    tell_triggers(str(run.pk))
    moved = {data["subcategory"]: data["fired"] for data in told()[1:]}
    assert moved == {"drills": [], "saws": ["bad_format_trigger"]}


def test_what_moved_without_a_review_is_found_by_the_sweep(subcategory: Subcategory) -> None:
    history(subcategory, [[{"missing_spec": ["Zork"]}], [{"missing_spec": ["blub"]}], *[[{}]] * 8])
    assert tell_all_triggers() == 0
    FieldSynonym.objects.create(flow="item", name="zork", canonical="blub")
    assert tell_all_triggers() == 1
    assert told()[0]["began"] == ["missing_spec_trigger"]
    assert "blub" not in str(told()[0])  # names of fields are reviewers' words
    assert tell_all_triggers() == 0


def test_told_and_remembered_stand_or_fall_together(subcategory: Subcategory) -> None:
    run = reviewed(subcategory, BAD)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE generation_webhookmessage RENAME TO away")
    with pytest.raises(Exception, match="webhookmessage"):
        tell_triggers(str(run.pk))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE away RENAME TO generation_webhookmessage")
    assert ToldTriggers.objects.get().fired == []
    assert tell_all_triggers() == 1


def test_nothing_is_computed_where_nobody_listens(subcategory: Subcategory) -> None:
    reviewed(subcategory, BAD)
    WebhookEndpoint.objects.update(enabled=False)
    with CaptureQueriesContext(connection) as captured:
        assert tell_all_triggers() == 0
    assert len(captured) == 1


def test_the_sweep_reads_many_subcategories_at_once(subcategory: Subcategory) -> None:
    with CaptureQueriesContext(connection) as few:
        tell_all_triggers()
    SubcategoryFactory.create_batch(30)
    with CaptureQueriesContext(connection) as many:
        tell_all_triggers()
    assert len(many) == len(few)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_tell_once(subcategory: Subcategory) -> None:
    reviewed(subcategory, BAD)
    answers: list[bool] = []
    ready = threading.Barrier(4)

    def one() -> None:
        ready.wait(120)
        answers.append(telling.tell("item", subcategory))
        connection.close()

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(answers) == [False, False, False, True]
    assert len(told()) == 1
