"""A worker may die anywhere: nothing is asked twice, nothing that was answered is lost."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from generation import pipeline, run_trail
from generation.deferring import collecting, sending
from generation.deferring.collecting import collect
from generation.deferring.parking import park
from generation.deferring.recovering import recover
from generation.deferring.sending import send
from generation.models import Call, DeferredCall, Run, Submission
from tests.batches_api import BatchesApi, Kept, Reply
from tests.generation.deferring.conftest import economical, exchanged, good, worked

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


class Killed(BaseException):
    """The process is gone: nothing that catches errors sees it."""


def dies(*args: Any, **kwargs: Any) -> Any:
    raise Killed


def time_passes() -> None:
    """Leases run out."""
    Submission.objects.filter(lease_expires_at__isnull=False).update(lease_expires_at=Now() - HOUR)
    Run.objects.filter(lease__isnull=False).update(lease_expires_at=Now() - HOUR)


def sent_once(batches: BatchesApi) -> bool:
    """Whether no request is in two batches."""
    ids = [request["custom_id"] for one in batches.kept for request in one.requests]
    return len(ids) == len(set(ids))


def test_a_batch_whose_name_was_lost_is_found_again(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    batches.lose_name = True
    assert send() == 0 and len(batches.kept) == 1
    recover()  # its sender may still be waiting
    assert Submission.objects.get().state == "sending" and "list" not in batches.asked
    time_passes()
    recover()
    assert send() == 0  # it runs still: whether it is ours is told by its results alone
    batches.end(good)
    time_passes()
    recover()
    assert Submission.objects.get().name == "msgbatch_1"
    assert collect() == 1
    worked(run)
    assert run.revision == 1 and run.calls.count() == 1 and sent_once(batches)


def test_a_sender_that_dies_before_it_keeps_the_name(batches: BatchesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    run = economical()
    worked(run)
    with monkeypatch.context() as dying:
        dying.setattr(sending, "_hand_over", dies)
        with pytest.raises(Killed):
            send()
    assert not batches.kept  # it died before it sent anything
    time_passes()
    recover()
    assert not Submission.objects.exists() and DeferredCall.objects.get().state == "waiting"
    exchanged(batches)
    assert Call.objects.count() == 1


def foreign(count: int) -> list[dict[str, Any]]:
    return [{"custom_id": uuid.uuid4().hex, "params": {}} for _ in range(count)]


def test_what_others_send_long_after_is_not_waited_for(batches: BatchesApi) -> None:
    worked(economical())
    batches.fail("create", Reply(status=500))
    send()
    batches.kept.append(Kept("msgbatch_l", foreign(1), datetime.now(UTC) + 2 * HOUR))
    time_passes()
    recover()
    assert send() == 1


@pytest.mark.parametrize("others", [1, 2], ids=["as many requests", "other requests"])
def test_the_batches_of_others_are_not_taken_for_ours(batches: BatchesApi, others: int) -> None:
    """Another program may use the same key."""
    run = economical()
    worked(run)
    batches.fail("create", Reply(status=500))
    assert send() == 0
    now = datetime.now(UTC)
    batches.kept += [Kept("msgbatch_o", foreign(1), now - 2 * HOUR), Kept("msgbatch_x", foreign(others), now)]
    time_passes()
    recover()
    assert send() == (0 if others == 1 else 1)
    batches.end(good)
    time_passes()
    recover()
    send()
    batches.end(good)
    collect()
    assert Call.objects.count() == 1 and sent_once(batches)


@pytest.mark.parametrize(
    ("reply", "again"),
    [
        (Reply(status=429, headers={"retry-after": "7"}), True),
        (Reply(status=413), None),
        (Reply(status=500), False),
        (Reply(status=529), False),
        (Reply("<html>", content_type="text/html"), False),
        (Reply("{}"), False),
        (Reply(drop=True), False),
    ],
)
def test_only_what_was_surely_refused_is_sent_again_at_once(
    batches: BatchesApi, reply: Reply, again: bool | None
) -> None:
    """again: None where the refusal is for good."""
    run = economical()
    worked(run)
    batches.fail("create", reply)
    assert send() == 0
    assert send() == (1 if again else 0)
    worked(run)
    assert run.status == ("failed" if again is None else "generating")
    assert Submission.objects.filter(state="sending").count() == (1 if again is False else 0)


def test_a_server_that_is_away_has_taken_nothing(batches: BatchesApi, settings: Any) -> None:
    worked(economical())
    there, settings.ANTHROPIC_BASE_URL = settings.ANTHROPIC_BASE_URL, "http://127.0.0.1:9"
    assert send() == 0 and not Submission.objects.exists()
    settings.ANTHROPIC_BASE_URL = there
    assert send() == 1


@pytest.mark.parametrize("dead_at", ["_tell", "bring_back", "_over"])
def test_a_collector_that_dies_loses_nothing(
    batches: BatchesApi, monkeypatch: pytest.MonkeyPatch, dead_at: str
) -> None:
    made = [economical() for _ in range(3)]
    worked(*made)
    send()
    batches.end(good)
    done = 0

    def dies_at_the_second(*args: Any, **kwargs: Any) -> Any:
        nonlocal done
        done += 1
        if done == 2 or dead_at == "_over":
            raise Killed
        return original(*args, **kwargs)

    original = getattr(collecting, dead_at)
    with monkeypatch.context() as dying:
        dying.setattr(collecting, dead_at, dies_at_the_second)
        with pytest.raises(Killed):
            collect()
    assert Call.objects.count() == (3 if dead_at == "_over" else 1)
    time_passes()
    collect()
    assert [run.calls.count() for run in made] == [1, 1, 1] and Submission.objects.get().state == "over"
    worked(*made)
    assert {run.status for run in made} == {"reviewing"}


def test_two_collectors_take_an_answer_once(batches: BatchesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    run = economical()
    worked(run)
    send()
    batches.end(good)
    keep, inside = run_trail.keep, list[bool]()

    def meanwhile(*args: Any) -> Any:
        if not inside:
            inside.append(True)
            time_passes()
            Submission.objects.update(lease_expires_at=None)
            collect()
        return keep(*args)

    monkeypatch.setattr(collecting, "keep", meanwhile)
    collect()
    assert run.calls.count() == 1


def test_a_run_that_dies_before_it_is_parked_asks_once(
    batches: BatchesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = economical()
    with monkeypatch.context() as dying:
        dying.setattr(pipeline, "park", dies)
        with pytest.raises(Killed):
            worked(run)
    assert not DeferredCall.objects.exists()
    time_passes()
    worked(run)
    assert DeferredCall.objects.count() == 1


def test_a_run_whose_answer_comes_while_it_is_being_parked_goes_on(
    batches: BatchesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = economical()
    worked(run)
    send()
    batches.end(good)
    Run.objects.update(next_attempt_at=None)  # the sweep looks at it after a day

    def answered_first(*args: Any) -> None:
        collect()
        park(*args)

    monkeypatch.setattr(pipeline, "park", answered_first)
    worked(run)
    monkeypatch.undo()
    worked(run)
    assert (run.status, run.revision) == ("reviewing", 1)


def test_a_run_that_is_looked_at_too_early_waits_on(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    send()
    for _ in range(3):
        Run.objects.update(next_attempt_at=Now())
        worked(run)
    assert run.attempts == 0 and DeferredCall.objects.count() == len(batches.params) == 1


@pytest.mark.parametrize("kind", ["retrieve", "results"])
@pytest.mark.parametrize("reply", [Reply(status=500), Reply(status=429), Reply(drop=True), Reply(status=404)])
def test_a_provider_that_is_away_for_a_moment_is_asked_again(batches: BatchesApi, kind: str, reply: Reply) -> None:
    run = economical()
    worked(run)
    send()
    batches.end(good)
    batches.fail(kind, reply)
    assert (collect(), collect()) == (0, 1)
    worked(run)
    assert run.revision == 1


def test_a_batch_that_the_provider_knows_no_more_is_given_up_after_a_day(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    send()
    batches.kept.clear()
    collect()
    assert DeferredCall.objects.get().state == "sent"
    Submission.objects.update(created_at=Now() - timedelta(hours=27))
    collect()
    worked(run)
    assert run.error is not None and run.error["code"] == "timeout" and Submission.objects.get().state == "over"


def test_a_line_that_cannot_be_read_costs_its_request_alone(batches: BatchesApi) -> None:
    made = [economical() for _ in range(2)]
    worked(*made)
    send()
    batches.end(good)
    batches.kept[0].results[:1] = ["{", "[]", "null", '{"custom_id": "of nobody", "result": {}}']
    collect()
    worked(*made)
    assert sorted(run.status for run in made) == ["queued", "reviewing"]
