"""A run that a person took out of the queue is put back by a person alone."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.db import Error, connection, transaction
from django.test import Client

from generation import runs
from generation.errors import BadInput, Conflict
from generation.models import Run, Status
from generation.pipeline import generate
from generation.tasks import sweep
from review import groups, queue, recording, setting_aside
from review.models import Placement
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, UserFactory
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def tom() -> User:
    user: User = UserFactory(username="tom", first_name="Tom", last_name="Beck")
    return user


def offered(run: Run, person: User) -> bool:
    listed = run.pk in waiting_ids()
    claim = queue.claim_next(person)
    assert listed == (claim is not None) == bool(queue.count_waiting())
    return listed


def test_it_is_neither_offered_nor_reviewed_and_comes_back_whole(run: Run, mia: User, tom: User) -> None:
    queue.take(run.pk, mia)
    placed = setting_aside.set_aside(run.pk, tom, " Waits for the supplier ")
    assert (placed.kind, placed.person, placed.why) == ("set_aside", tom, "Waits for the supplier")
    assert not offered(run, mia)
    refusals: list[Callable[[], object]] = [
        lambda: queue.take(run.pk, mia),
        lambda: recording.submit(run.pk, Fields(decision="approve"), reviewer=mia),
        lambda: recording.submit(run.pk, Fields(decision="approve"), service="robot"),
        lambda: recording.save_half_filled(run.pk, mia, Fields(notes="x")),
        lambda: setting_aside.set_aside(run.pk, mia),
    ]
    for refused in refusals:
        with pytest.raises(Conflict, match="Tom Beck set this run aside: Waits for the supplier"):
            refused()
    setting_aside.put_back(run.pk, tom)
    assert offered(run, mia)
    with pytest.raises(Conflict, match="not set aside"):
        setting_aside.put_back(run.pk, tom)
    assert list(Placement.objects.values_list("kind", "person__username")) == [
        ("set_aside", "tom"),
        ("put_back", "tom"),
    ]


def by_retry(run: Run, mia: User) -> None:
    Run.objects.filter(pk=run.pk).update(status=Status.FAILED)
    runs.retry(run.pk)


def by_undo(run: Run, mia: User) -> None:
    Run.objects.filter(pk=run.pk).update(set_aside=False)
    recording.submit(run.pk, Fields(decision="revise"), reviewer=mia)
    setting_aside.set_aside(run.pk, mia)
    recording.undo(run.pk, mia)


def by_a_new_round(run: Run, mia: User) -> None:
    runs.start_round(run.pk)


@pytest.mark.parametrize("rule", [by_retry, by_undo, by_a_new_round])
def test_no_rule_puts_it_back(
    rule: Callable[[Run, User], None], mia: User, settings: object, django_capture_on_commit_callbacks: object
) -> None:
    run: Run = DraftFactory(run=RunFactory(provider="demo", source={"title": "Drill", "text": "18 V"})).run
    setting_aside.set_aside(run.pk, mia)
    rule(run, mia)
    if Run.objects.get(pk=run.pk).is_in_progress:
        sweep()
        Run.objects.filter(pk=run.pk).update(lease=None, lease_expires_at=None)
        generate(run.pk)
    run.refresh_from_db()
    assert run.set_aside and not run.is_in_progress
    assert not offered(run, mia)


@pytest.mark.parametrize(
    ("status", "revision", "possible"),
    [
        (Status.QUEUED, 0, True),
        (Status.NEEDS_HUMAN_REVIEW, 1, True),
        (Status.FAILED, 1, True),
        (Status.FAILED, 0, False),
        (Status.STOPPED, 1, False),
        (Status.APPROVED, 1, False),
        (Status.REJECTED, 1, False),
    ],
)
def test_what_can_be_set_aside(mia: User, status: str, revision: int, possible: bool) -> None:
    run = RunFactory(status=status, revision=revision)
    if possible:
        setting_aside.set_aside(run.pk, mia)
    else:
        with pytest.raises(Conflict, match="nothing to set aside"):
            setting_aside.set_aside(run.pk, mia)
    assert Run.objects.aside().count() == Placement.objects.count() == possible


def test_without_a_record_it_says_that_first(run: Run, mia: User) -> None:
    setting_aside.set_aside(run.pk, mia)
    Run.objects.filter(pk=run.pk).update(status=Status.GENERATING)
    with pytest.raises(Conflict, match="once its record is made"):
        queue.take(run.pk, mia)


def test_a_reason_has_an_end(run: Run, mia: User) -> None:
    with pytest.raises(BadInput, match="/why"):
        setting_aside.set_aside(run.pk, mia, "x" * 501)
    assert not Run.objects.aside().exists()


@pytest.mark.parametrize("statement", ["UPDATE review_placement SET why = 'x'", "DELETE FROM review_placement"])
def test_what_was_done_stays_written(run: Run, mia: User, statement: str) -> None:
    setting_aside.set_aside(run.pk, mia)
    with pytest.raises(Error, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_run_page_sets_aside_says_who_did_and_puts_back(run: Run, client: Client, judge: User) -> None:
    groups.seed()
    judge.groups.add(Group.objects.get(name=groups.ADJUDICATOR))
    client.force_login(judge)
    assert f"/runs/{run.pk}/set-aside/" in client.get(f"/runs/{run.pk}/").text
    text = client.post(f"/runs/{run.pk}/set-aside/", {"why": "Wrong supplier"}, follow=True).text
    assert "judge set this run aside: Wrong supplier." in text and f"/runs/{run.pk}/put-back/" in text
    assert "judge set this run aside" in client.post(f"/runs/{run.pk}/set-aside/", follow=True).text
    assert f"/runs/{run.pk}/set-aside/" in client.post(f"/runs/{run.pk}/put-back/", follow=True).text


def test_a_reviewer_is_not_offered_it(run: Run, web: Client) -> None:
    assert "set-aside" not in web.get(f"/runs/{run.pk}/").text
    assert web.post(f"/runs/{run.pk}/set-aside/").status_code == 403
