"""Assigned runs come first for their person, are kept from the others, and never for longer than said."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation.errors import Conflict
from generation.models import Run, Status
from review import assigning, queue, recording, setting_aside
from review.models import Assignment
from review.recording import Fields
from review.tasks import end_assignments
from tests.factories import RunFactory, UserFactory
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def tom() -> User:
    user: User = UserFactory(username="tom")
    return user


def expire() -> None:
    Assignment.objects.update(until=Now() - timedelta(seconds=1))


def claimed(person: User) -> Run | None:
    claim = queue.claim_next(person)
    return claim.run if claim else None


def test_it_comes_first_for_its_person_and_not_at_all_for_others(mia: User, tom: User) -> None:
    first, second, third = RunFactory(status=Status.NEEDS_HUMAN_REVIEW), RunFactory(), RunFactory()
    assert assigning.assign([third.pk, first.pk], mia, tom) == 2
    assert waiting_ids() == [second.pk, first.pk, third.pk], "offered to all first"
    with pytest.raises(Conflict, match="assigned to Mia Koch until"):
        queue.take(third.pk, tom)
    with pytest.raises(Conflict, match="assigned to Mia Koch"):
        recording.submit(third.pk, Fields(decision="approve"), service="robot")
    assert (claimed(mia), claimed(tom)) == (third, second)
    assert queue.count_waiting() == 3


def test_a_review_ends_it_and_a_claim_alone_does_not(mia: User, tom: User) -> None:
    run = RunFactory()
    assigning.assign([run.pk], mia, tom)
    queue.take(run.pk, mia)
    assert Assignment.objects.exists()
    recording.submit(run.pk, Fields(decision="revise"), reviewer=mia)
    run.refresh_from_db()
    assert not run.assigned and not Assignment.objects.exists() and run.status == Status.QUEUED


@pytest.mark.parametrize("by_task", [True, False])
def test_what_is_not_taken_in_time_is_everybodys_again(mia: User, tom: User, by_task: bool) -> None:
    run, kept = RunFactory(), RunFactory()
    assigning.assign([run.pk], mia, tom)
    expire()
    assigning.assign([kept.pk], mia, tom)
    if by_task:
        assert end_assignments() == 1 and end_assignments() == 0
    assert claimed(tom) == run, "though no worker were there"
    assert set(Run.objects.filter(assigned=True)) == {kept}


def test_how_long_it_is_kept_is_a_setting(mia: User, tom: User, settings: Settings) -> None:
    settings.FOLDBACK_ASSIGNMENT_HOURS = 2.0
    assigning.assign([RunFactory().pk], mia, tom)
    kept = Assignment.objects.get()
    assert kept.until - kept.created_at == timedelta(hours=2)


def test_it_can_be_given_to_another_and_to_nobody(mia: User, tom: User) -> None:
    run = RunFactory()
    assigning.assign([run.pk], mia, tom)
    assigning.assign([run.pk], tom, tom)
    assert Assignment.objects.get().person == tom and claimed(mia) is None
    assigning.assign([run.pk], None, tom)
    assert claimed(mia) == run


def test_what_is_not_up_for_review_is_left_alone(mia: User, tom: User) -> None:
    done, aside = RunFactory(status=Status.APPROVED), RunFactory()
    assigning.assign([aside.pk], mia, tom)
    setting_aside.set_aside(aside.pk, tom)
    assert not Assignment.objects.exists() and not Run.objects.get(pk=aside.pk).assigned
    assert assigning.assign([done.pk, aside.pk], mia, tom) == 0
    assert not Run.objects.filter(assigned=True).exists()


def test_a_run_that_comes_back_in_time_is_still_theirs(mia: User, tom: User) -> None:
    run = RunFactory(status=Status.FAILED)
    assigning.assign([run.pk], mia, tom)
    Run.objects.filter(pk=run.pk).update(status=Status.QUEUED)
    assert claimed(mia) is None
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW)
    assert (claimed(tom), claimed(mia)) == (None, run)
