"""The database refuses to change review events, and protects what they name."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import ProtectedError

from review import recording
from review.models import ReviewEvent, ReviewForm
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> ReviewEvent:
    """A review as people submit it, with a corrected subcategory."""
    fields = Fields("approve", subcategory=SubcategoryFactory())
    written = recording.submit(DraftFactory().run.pk, fields, reviewer=UserFactory()).event
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would do
    assert written is not None
    return written


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE review_reviewevent SET notes = notes",
        "UPDATE review_reviewevent SET decision = 'reject'",
        "DELETE FROM review_reviewevent",
        "DELETE FROM review_reviewevent WHERE sequence = 1",
        "TRUNCATE review_reviewevent CASCADE",
        "TRUNCATE generation_run CASCADE",
        "TRUNCATE auth_user CASCADE",
        "MERGE INTO review_reviewevent e USING generation_run r ON e.run_id = r.id WHEN MATCHED THEN DELETE",
        "INSERT INTO review_reviewevent SELECT * FROM review_reviewevent"
        " ON CONFLICT (id) DO UPDATE SET notes = 'x'",
    ],
)
def test_no_statement_changes_an_event(event: ReviewEvent, sql: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert ReviewEvent.objects.get() == event


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event.save(),
        lambda event: event.delete(),
        lambda event: ReviewEvent.objects.update(notes="x"),
        lambda event: ReviewEvent.objects.bulk_update([event], ["notes"]),
        lambda event: ReviewEvent.objects.all()._raw_delete("default"),
    ],
)
def test_nor_does_the_orm(event: ReviewEvent, change: Callable[[ReviewEvent], Any]) -> None:
    ReviewForm.objects.update(state="half_filled", event=None, submitted_at=None)  # else Django itself protects
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        change(event)


@pytest.mark.parametrize("owner", ["postgres", "app"])
def test_no_role_may(event: ReviewEvent, owner: str) -> None:
    with connection.cursor() as cursor:
        if owner == "app":
            cursor.execute("CREATE ROLE app NOSUPERUSER; GRANT ALL ON ALL TABLES IN SCHEMA public TO app")
            cursor.execute("SET LOCAL ROLE app")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            cursor.execute("DELETE FROM review_reviewevent")
        if owner == "app":
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
                cursor.execute("SET session_replication_role = replica")


@pytest.mark.parametrize(
    "named",
    [
        lambda event: event.reviewer,
        lambda event: event.run,
        lambda event: event.form.subcategory,
        lambda event: ReviewEvent.objects.get(pk=event.pk).form,
    ],
    ids=["reviewer", "run", "corrected subcategory", "form's event"],
)
def test_what_events_and_forms_name_is_kept(event: ReviewEvent, named: Callable[[ReviewEvent], Any]) -> None:
    row = named(event)
    if isinstance(row, ReviewForm):
        row = row.event
    with pytest.raises(ProtectedError):
        row.delete()


@pytest.mark.parametrize("table", ["auth_user", "generation_run", "generation_subcategory"])
def test_raw_deletes_do_not_get_past_it(event: ReviewEvent, table: str) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")  # constraints are immediate here, as the fixture set them


def test_people_are_deactivated_instead(event: ReviewEvent) -> None:
    assert event.reviewer is not None
    event.reviewer.is_active = False
    event.reviewer.save(update_fields=["is_active"])
    assert ReviewEvent.objects.counting().count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"sequence": 1},  # taken already
        {"sequence": 0},
        {"decision": ""},
        {"decision": "maybe"},
        {"kind": "undone"},  # of nothing
        {"kind": "deleted"},
        {"reviewer": None},  # a person without a name
        {"undoes": "first"},  # a submitted one takes nothing back
        {"kind": "undone", "decision": "approve", "undoes": "first"},
    ],
)
def test_events_that_make_no_sense_are_refused(event: ReviewEvent, wrong: dict[str, Any]) -> None:
    whole = {"run": event.run, "sequence": 2, "reviewer": event.reviewer, "decision": "approve"} | wrong
    if whole.get("undoes") == "first":
        whole["undoes"] = event
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewEvent.objects.create(**whole)


def test_one_review_is_undone_once(event: ReviewEvent) -> None:
    assert event.reviewer is not None
    undone = recording.undo(event.run_id, event.reviewer)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewEvent.objects.create(
            run=event.run, sequence=9, kind=undone.kind, undoes=event, reviewer=event.reviewer
        )


def test_one_form_per_reviewer_and_round_and_service() -> None:
    run = RunFactory()
    ReviewForm.objects.create(run=run, service="checker")
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewForm.objects.create(run=run, service="checker")
