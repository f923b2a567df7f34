"""The sweep finds every run that nobody works on, and leaves the others alone."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from generation.batches import create_many
from generation.models import Run
from generation.tasks import enqueue_batch, generate_run, sweep
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db
OLD, SOON = timedelta(seconds=-60), timedelta(seconds=60)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What went to the broker."""
    ids: list[str] = []
    monkeypatch.setattr(generate_run, "delay", ids.append)
    return ids


@pytest.mark.parametrize(
    ("status", "changed", "next_attempt", "lease_expires", "found"),
    [
        ("queued", OLD, None, None, True),  # its task never came
        ("queued", None, None, None, False),  # its task is on the way
        ("queued", None, OLD, None, True),  # due again
        ("queued", OLD, SOON, None, False),  # not yet
        ("queued", OLD, None, SOON, False),  # swept a moment ago
        ("generating", OLD, None, OLD, True),  # its worker died
        ("fixing", OLD, None, OLD, True),
        ("generating", OLD, None, SOON, False),  # its worker lives
        ("awaiting_review", OLD, None, None, False),
        ("stopped", OLD, OLD, OLD, False),
    ],
)
def test_who_is_swept(
    sent: list[str], status: str, changed: Any, next_attempt: Any, lease_expires: Any, found: bool
) -> None:
    run = RunFactory(status=status)
    fields: dict[str, Any] = {"lease": uuid.uuid4() if status != "queued" else None}
    for name, offset in (
        ("changed_at", changed),
        ("next_attempt_at", next_attempt),
        ("lease_expires_at", lease_expires),
    ):
        if offset is not None:
            fields[name] = Now() + offset
    Run.objects.update(**fields)
    assert sweep() == int(found)
    assert sent == ([str(run.pk)] if found else [])


def test_a_swept_run_is_not_swept_again_and_can_be_taken(sent: list[str], run: Run) -> None:
    Run.objects.update(changed_at=Now() + OLD)
    assert (sweep(), sweep(), len(sent)) == (1, 0, 1)
    generate_run(sent[0])
    run.refresh_from_db()
    assert run.status == "awaiting_review"


def test_the_sweep_is_bounded(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.tasks.SWEEP_ROWS", 2)
    for _ in range(3):
        RunFactory(status="queued")
    Run.objects.update(changed_at=Now() + OLD)
    assert (sweep(), sweep(), sweep()) == (2, 1, 0)


def test_a_batch_is_handed_over_by_one_message(
    sent: list[str], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    batches: list[str] = []
    monkeypatch.setattr(enqueue_batch, "delay", batches.append)
    with django_capture_on_commit_callbacks(execute=True):
        batch, made, _bad = create_many([{"flow": "item", "source": {"title": "A drill"}}] * 3)
    assert batch is not None
    assert batches == [str(batch.pk)] and sent == []
    Run.objects.filter(pk=made[0]).update(status="stopped")
    assert enqueue_batch(batches[0]) == 2 and set(sent) == {str(run_id) for run_id in made[1:]}
