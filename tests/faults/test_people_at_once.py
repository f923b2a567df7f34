"""People at once: nobody gets what another has, one review is one review, and nothing typed or saved is lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from generation import lease, prompts
from generation.models import Draft, Prompt, Run
from generation.tasks import sweep
from review import queue
from review.models import Claim, ClaimEvent, ReviewEvent, ReviewForm
from tests import scenes
from tests.factories import DraftFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
FILLED = {"revision": "2", "decision": "approve", "bad_format": "yes", "notes": "Steel: 13 mm."}
HOUR = timedelta(hours=1)


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    """What each returned, all begun at the same moment."""
    ready = Barrier(len(works))

    def one(work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            ready.wait(120)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result(120) for done in [pool.submit(one, work) for work in works]]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_fifty_claim_from_one_queue_without_a_double() -> None:
    RunFactory.create_batch(45)
    reviewers = UserFactory.create_batch(50)
    claims = at_once([partial(queue.claim_next, me) for me in reviewers])
    held = [claim.run_id for claim in claims if claim]
    assert len(held) == len(set(held)) == 45
    assert claims.count(None) == 5, "who came too late got nothing, and nobody got what another has"
    assert set(Claim.objects.values_list("run_id", "reviewer_id")) == {
        (claim.run_id, claim.reviewer_id) for claim in claims if claim
    }


@pytest.mark.parametrize("holds", [True, False])
def test_who_claims_many_times_at_once_holds_one_run(holds: bool) -> None:
    RunFactory.create_batch(20)
    for me in UserFactory.create_batch(5):
        first = queue.claim_next(me) if holds else None
        claims = at_once([partial(queue.claim_next, me)] * 16)
        (run,) = {claim.run_id for claim in claims}
        assert Claim.objects.get(reviewer=me).run_id == run and (first is None or first.run_id == run)
        assert ClaimEvent.objects.filter(person=me).count() == 1, "the others were renewals"


def test_who_claims_ahead_many_times_at_once_holds_what_is_shown_and_one_more() -> None:
    RunFactory.create_batch(20)
    me = UserFactory()
    shown = queue.take(RunFactory().pk, me)
    claims = at_once([partial(queue.claim_next, me, exclude=[shown.run_id])] * 16)
    (ahead,) = {claim.run_id for claim in claims}
    assert set(Claim.objects.values_list("run_id", flat=True)) == {shown.run_id, ahead}


def test_what_expired_returns_once_to_one_of_many() -> None:
    run = RunFactory()
    queue.take(run.pk, UserFactory())
    reviewers = UserFactory.create_batch(10)
    assert not any(at_once([partial(queue.claim_next, me) for me in reviewers]))
    Claim.objects.update(expires_at=Now() - timedelta(seconds=1))
    assert len([claim for claim in at_once([partial(queue.claim_next, me) for me in reviewers]) if claim]) == 1


@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["ahead", "behind"])
def test_a_process_whose_clock_is_off_takes_nothing_that_is_held_and_leaves_nothing_that_is_free(
    off: timedelta,
) -> None:
    held, free = RunFactory(), RunFactory()
    busy, left = RunFactory(status="generating"), RunFactory(status="generating")
    owner, other = UserFactory(), UserFactory()
    queue.take(held.pk, owner, seconds=300)
    queue.take(free.pk, owner, seconds=0)
    Run.objects.filter(pk=busy.pk).update(lease=busy.pk, lease_expires_at=Now() + timedelta(minutes=4))
    Run.objects.filter(pk=left.pk).update(
        lease=left.pk, lease_expires_at=Now() - timedelta(minutes=4), changed_at=Now() - timedelta(minutes=9)
    )
    with time_machine.travel(timezone.now() + off, tick=True):
        claim = queue.claim_next(other)
        assert claim is not None and claim.run_id == free.pk
        assert queue.claim_next(other, exclude=[free.pk]) is None
        assert lease.take(busy.pk) is None
        assert sweep() == 1
        assert sweep() == 0, "it was sent a moment ago"
        assert lease.take(left.pk) is not None
    assert abs(Claim.objects.get(run=free).created_at - timezone.now()) < timedelta(minutes=10)


def test_a_form_sent_twice_at_once_is_one_review_and_both_go_on() -> None:
    run = scenes.drill(scenes.subcategories()["drills"])
    me = scenes.reviewer()
    web = signed_in(me)
    web.get(f"/runs/{run.pk}/")
    clients = [signed_in(me) for _ in range(4)]
    answers = at_once([partial(c.post, f"/runs/{run.pk}/review/", FILLED) for c in clients])
    assert [answer.status_code for answer in answers] == [302] * 4
    assert ReviewEvent.objects.count() == ReviewForm.objects.count() == 1
    assert Run.objects.get(pk=run.pk).status == "approved"


def test_a_review_of_a_stale_revision_is_refused_with_what_changed_and_keeps_all_that_was_typed() -> None:
    run = scenes.drill(scenes.subcategories()["drills"])
    web = signed_in(scenes.reviewer())
    web.get(f"/runs/{run.pk}/")
    newer = dict(scenes.DRILL) | {"description": "Now with two batteries"}
    Draft.objects.create(run=run, revision=3, content=newer, made_by="extraction")
    Run.objects.filter(pk=run.pk).update(revision=3)
    typed = FILLED | {"missing_spec": ["vibration", "grip"], "wrong_information": "no"}
    answer = web.post(f"/runs/{run.pk}/review/", typed)
    assert answer.status_code == 409 and not ReviewEvent.objects.exists()
    assert "Revision 2 was reviewed; the newest is 3." in answer.text
    assert "1 value changed since the last revision" in answer.text and "Now with two batteries" in answer.text
    for kept in ("Steel: 13 mm.</textarea>", 'value="vibration"', 'value="grip"'):
        assert kept in answer.text
    for name, value in (("bad_format", "yes"), ("wrong_information", "no"), ("decision", "approve")):
        assert f'name="{name}" value="{value}" checked' in answer.text
    assert web.post(f"/runs/{run.pk}/review/", typed | {"revision": "3"}).status_code == 302
    assert ReviewEvent.objects.get().missing_spec == ["vibration", "grip"]


def test_two_admins_who_save_one_prompt_at_once_get_two_versions() -> None:
    prompt = prompts.live("item", "extraction").prompt
    admins = [User.objects.create_superuser(name, password="x") for name in ("ada", "bob")]
    live = Prompt.objects.get(pk=prompt.pk).live
    assert live is not None
    page = f"/admin/generation/prompt/{prompt.pk}/change/"

    def saves(admin: User) -> Any:
        words = {"system": f"By {admin.username}.", "user": live.user, "parameters": "{}", "note": admin.username}
        client = signed_in(admin)
        return lambda: client.post(page, words)

    answers = at_once([saves(admin) for admin in admins])
    assert [answer.status_code for answer in answers] == [302, 302]
    made = prompt.versions.exclude(number=1).order_by("number")
    assert [version.number for version in made] == [2, 3]
    assert {(version.system, version.note, version.author_id) for version in made} == {
        (f"By {admin.username}.", admin.username, admin.pk) for admin in admins
    }
    assert Prompt.objects.get(pk=prompt.pk).live == live, "saving moves nothing"


def test_reviewers_who_decide_differently_at_once_leave_one_decision_and_hear_of_it() -> None:
    run = DraftFactory().run
    people = [scenes.reviewer(f"r{n}") for n in range(6)]
    sent = [
        {"revision": "1", "decision": ("approve", "reject")[n % 2], "notes": f"typed by {n}"} for n in range(6)
    ]
    clients = [signed_in(one) for one in people]
    answers = at_once(
        [partial(c.post, f"/runs/{run.pk}/review/", form) for c, form in zip(clients, sent, strict=True)]
    )
    assert sorted(answer.status_code for answer in answers) == [302] + [409] * 5
    for n, answer in enumerate(answers):
        assert answer.status_code == 302 or f"typed by {n}" in answer.text
    assert ReviewEvent.objects.count() == 1
