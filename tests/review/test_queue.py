"""Claims: nobody gets what another holds, and nothing waits longer than it must."""

import threading
from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from generation.errors import Conflict
from generation.models import NodeEvent, Run, Status
from review import queue
from review.models import Claim
from tests.factories import RunFactory, SubcategoryFactory, UserFactory
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def tom() -> User:
    user: User = UserFactory(username="tom")
    return user


def waited(days: int, **fields: object) -> Run:
    run: Run = RunFactory(**fields)
    Run.objects.filter(pk=run.pk).update(changed_at=Now() - timedelta(days=days))
    return run


def expire(claim: Claim) -> None:
    Claim.objects.filter(pk=claim.pk).update(expires_at=Now() - timedelta(seconds=1))


def claimed(reviewer: User, **wanted: object) -> Run | None:
    claim = queue.claim_next(reviewer, **wanted)  # type: ignore[arg-type]
    return claim.run if claim else None


def test_an_empty_queue_gives_nothing(mia: User) -> None:
    assert queue.claim_next(mia) is None


@pytest.mark.parametrize(
    ("status", "revision", "comes"),
    [
        (Status.QUEUED, 1, False),
        (Status.GENERATING, 1, False),
        (Status.REVIEWING, 1, False),
        (Status.FIXING, 1, False),
        (Status.AWAITING_REVIEW, 1, True),
        (Status.NEEDS_HUMAN_REVIEW, 0, True),
        (Status.FAILED, 1, True),
        (Status.FAILED, 0, False),
        (Status.STOPPED, 1, False),
        (Status.APPROVED, 1, False),
        (Status.REJECTED, 1, False),
    ],
)
def test_what_is_up_for_review(mia: User, status: str, revision: int, comes: bool) -> None:
    run = RunFactory(status=status, revision=revision)
    assert waiting_ids() == ([run.pk] if comes else [])
    assert queue.count_waiting() == comes
    assert (claimed(mia) == run) is comes
    if not comes:
        with pytest.raises(Conflict):
            queue.take(run.pk, mia)


def test_the_oldest_comes_first_and_an_escalated_one_before_it(mia: User) -> None:
    newer, older = waited(1), waited(2)
    escalated = waited(0, status=Status.NEEDS_HUMAN_REVIEW)
    order: list[Run] = []
    for _ in range(3):
        run = claimed(mia, exclude=[r.pk for r in order])
        assert run is not None
        order.append(run)
    assert order == [escalated, older, newer]


def test_filters(mia: User) -> None:
    drills = SubcategoryFactory(slug="drills")
    waited(3, flow="question")
    waited(2)
    run = waited(1, subcategory=drills)
    assert claimed(mia, flow="item", subcategory=drills) == run
    assert claimed(mia, subcategory="drills") == run
    assert claimed(mia, subcategory="unheard-of") is None
    assert claimed(mia, flow="change") is None
    assert waiting_ids(subcategory="drills") == [run.pk]
    assert queue.count_waiting(flow="item") == 2 and queue.count_waiting(subcategory="drills") == 1


def test_an_own_claim_comes_first_and_is_renewed(mia: User) -> None:
    waited(5)
    own = waited(1)
    first = queue.take(own.pk, mia, seconds=60)
    again = queue.claim_next(mia, seconds=600)
    assert again is not None and again.run == own
    assert again.expires_at - first.expires_at > timedelta(seconds=500)
    short = queue.claim_next(mia, seconds=1)
    assert short is not None and short.expires_at == again.expires_at, "a prefetch shortens nothing"


def test_a_skipped_run_stays_away(mia: User) -> None:
    first, second = waited(2), waited(1)
    queue.take(first.pk, mia)
    assert claimed(mia, exclude=[first.pk]) == second


def test_what_another_holds_is_not_given_until_it_expires(mia: User, tom: User) -> None:
    run = waited(1)
    claim = queue.claim_next(tom)
    assert claim is not None and queue.claim_next(mia) is None
    with pytest.raises(Conflict, match="tom is reviewing this run"):
        queue.take(run.pk, mia)
    expire(claim)
    assert claimed(mia) == run
    assert Claim.objects.get(run=run).reviewer == mia
    with pytest.raises(Conflict):
        queue.renew(run.pk, tom)


def test_an_expired_claim_can_be_taken_or_renewed(mia: User, tom: User) -> None:
    run = waited(1)
    expire(queue.take(run.pk, tom))
    assert queue.renew(run.pk, tom).expires_at > queue.take(run.pk, tom, seconds=0).expires_at
    assert queue.take(run.pk, mia).reviewer == mia


def test_released_runs_are_free(mia: User, tom: User) -> None:
    run = waited(1)
    queue.take(run.pk, tom)
    queue.release(run.pk, mia)  # not theirs: nothing happens
    assert queue.claim_next(mia) is None
    queue.release(run.pk, tom)
    queue.release(run.pk, tom)
    assert claimed(mia) == run


def test_claiming_is_one_statement_and_reads_by_index(mia: User) -> None:
    RunFactory.create_batch(5)
    mia.has_perm("review.add_reviewform")  # as whoever comes here was asked
    with CaptureQueriesContext(connection) as captured:
        queue.claim_next(mia)
    assert len(captured) == 2, "the claim, and reading it"


@pytest.mark.django_db(transaction=True)
def test_twenty_reviewers_at_once_get_twenty_runs() -> None:
    RunFactory.create_batch(25)
    reviewers = UserFactory.create_batch(20)
    ready = threading.Barrier(len(reviewers))
    got: list[tuple[int, object]] = []

    def claim(reviewer: User) -> None:
        try:
            ready.wait(120)
            mine: list[UUID] = []
            for _ in range(2):  # the second round runs out of runs
                found = queue.claim_next(reviewer, exclude=mine)
                mine += [found.run_id] if found else []
            got.extend((reviewer.pk, run_id) for run_id in mine)
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=[reviewer]) for reviewer in reviewers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    runs = [run_id for _, run_id in got]
    assert len(runs) == len(set(runs)) == 25
    assert {(c.reviewer_id, c.run_id) for c in Claim.objects.all()} == set(got)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_something_is_just_being_attached_to_can_be_claimed() -> None:
    """An insert that points at a run locks its key for the length of its transaction."""
    run, mia = RunFactory(), UserFactory()
    found: list[Run | None] = []

    def claim() -> None:
        found.append(claimed(mia))
        connection.close()

    with transaction.atomic():
        NodeEvent.objects.create(run=run, kind="status", node="awaiting_review")
        thread = threading.Thread(target=claim)
        thread.start()
        thread.join(120)
    assert found == [run]
