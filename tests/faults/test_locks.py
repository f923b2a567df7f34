"""What somebody holds locked holds up nobody else: it is passed over, and left to the next time."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from generation import prompts
from generation.errors import Conflict
from generation.models import PromptMove, Run
from generation.tasks import generate_run, sweep
from review import queue, recording
from review.models import ReviewEvent, ReviewForm
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, UserFactory
from tests.faults.test_people_at_once import at_once
from tests.review.reviews import broken_history, settle

pytestmark = pytest.mark.django_db(transaction=True)
OLD = timedelta(minutes=9)


@contextmanager
def locked(run: Run) -> Iterator[None]:
    """As long as another's transaction is at it."""
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        yield


def elsewhere(do: Callable[[], Any]) -> Any:
    """What it answers over another connection, which waits for no lock longer than three seconds."""

    def one() -> Any:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '3s'")
            return do()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(one).result(30)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What went to the broker."""
    ids: list[str] = []
    monkeypatch.setattr(generate_run, "delay", ids.append)
    return ids


def test_the_sweep_passes_a_locked_run(sent: list[str]) -> None:
    first, second = RunFactory(status="queued"), RunFactory(status="queued")
    Run.objects.update(changed_at=Now() - OLD)
    with locked(first):
        assert elsewhere(sweep) == 1
    assert sent == [str(second.pk)]
    assert sweep() == 1 and sent[1:] == [str(first.pk)]


def test_many_sweeps_at_once_send_each_run_once(sent: list[str]) -> None:
    RunFactory.create_batch(60, status="queued")
    Run.objects.update(changed_at=Now() - OLD)
    assert sum(at_once([sweep] * 6)) == 60
    assert len(sent) == len(set(sent)) == 60


def test_the_queue_passes_a_locked_run() -> None:
    first, second = RunFactory(), RunFactory()
    with locked(first):
        claim = elsewhere(lambda: queue.claim_next(UserFactory()))
    assert claim is not None and claim.run_id == second.pk


def test_the_queue_passes_a_locked_run_that_asks_for_help() -> None:
    first, second = RunFactory(status="needs_human_review"), RunFactory()
    with locked(first):
        claim = elsewhere(lambda: queue.claim_next(UserFactory()))
    assert claim is not None and claim.run_id == second.pk


def test_a_run_of_ones_own_is_waited_for_and_no_second_one_claimed() -> None:
    """Another page of theirs may be renewing it."""
    me, own = UserFactory(), RunFactory()
    queue.take(own.pk, me)
    RunFactory()

    def claims() -> Any:
        try:
            return queue.claim_next(me)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with locked(own):
            claiming = pool.submit(claims)
            time.sleep(0.5)
            assert not claiming.done()
        assert claiming.result(30).run_id == own.pk


def test_nobody_waits_for_another_persons_claim() -> None:
    first, second = RunFactory(), RunFactory()
    with transaction.atomic():  # as long as it is not committed, another claim of the same person waits
        mine = queue.claim_next(UserFactory())
        theirs = elsewhere(lambda: queue.claim_next(UserFactory()))
    assert mine is not None and theirs is not None
    assert [mine.run_id, theirs.run_id] == [first.pk, second.pk]


def test_the_repair_passes_a_locked_run() -> None:
    first, second = DraftFactory().run, DraftFactory().run
    with transaction.atomic(), broken_history():
        for run in (first, second):
            recording.submit(run.pk, Fields("approve"), reviewer=UserFactory())
    settle()
    with locked(first):
        assert elsewhere(recording.write_missing_events) == 1
    assert ReviewEvent.objects.get().run == second
    assert recording.write_missing_events() == 1
    assert not ReviewForm.objects.filter(event=None).exists()


def test_a_review_that_many_leave_out_at_once_is_left_out_once_and_the_others_are_told() -> None:
    event = recording.submit(DraftFactory().run.pk, Fields("approve"), reviewer=UserFactory()).event
    assert event is not None and event.reviewer is not None
    author = event.reviewer

    def leaves_out() -> str:
        try:
            return recording.leave_out(event.pk, author).kind
        except Conflict:
            return "conflict"

    assert sorted(at_once([leaves_out] * 6)) == ["conflict"] * 5 + ["left_out"]
    assert ReviewEvent.objects.count() == 2


def test_a_review_that_is_taken_back_many_times_at_once_is_taken_back_once() -> None:
    run, me = DraftFactory().run, UserFactory()
    recording.submit(run.pk, Fields("approve"), reviewer=me)

    def takes_back() -> str:
        try:
            return recording.undo(run.pk, me).kind
        except Conflict:
            return "conflict"

    assert sorted(at_once([takes_back] * 6)) == ["conflict"] * 5 + ["undone"]
    assert Run.objects.get(pk=run.pk).status == "awaiting_review"


def test_a_form_that_saves_itself_while_it_is_submitted_waits_and_changes_nothing() -> None:
    run, me = DraftFactory().run, UserFactory()

    def saves() -> str:
        try:
            return recording.save_half_filled(run.pk, me, Fields(notes="typed before")).state
        except Conflict:
            return "conflict"  # the run is approved meanwhile
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            recording.submit(run.pk, Fields("approve", notes="sent"), reviewer=me)
            saving = pool.submit(saves)
            time.sleep(0.5)
        assert saving.result(30) == "conflict"
    form = ReviewForm.objects.get()
    assert (form.state, form.notes) == ("submitted", "sent")


def test_admins_who_move_one_prompt_at_once_leave_an_unbroken_chain_of_moves() -> None:
    first = prompts.live("item", "extraction")
    made = [prompts.save_version(first.prompt, system="", user="<<SOURCE>>") for _ in range(6)]
    at_once([partial(prompts.make_live, version, by=None, why="x") for version in made])
    kept = PromptMove.objects.filter(prompt=first.prompt).order_by("id")
    moves = list(kept.values_list("from_version", "to_version"))
    assert len(moves) == 7
    assert [was for was, _to in moves[1:]] == [to for _was, to in moves[:-1]]
    assert prompts.live("item", "extraction").pk == moves[-1][1]
