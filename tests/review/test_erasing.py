"""A person is erased: the name is gone from every table, the reviews stand and still count."""

import json

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from generation.access import make_key
from generation.models import ApiKey, Run
from review import queue
from review.models import Claim, ReviewEvent, ReviewForm
from review.recording import Fields, save_half_filled, submit
from tests import people
from tests.factories import DraftFactory, RunFactory

pytestmark = pytest.mark.django_db
WHO = ("mara.koch", "Mara", "Koch", "mara@example.org", "Mara Koch")
BEFORE = "Lindqvist"  # as she was called when she reviewed


@pytest.fixture
def mara() -> User:
    """Reviews, one half filled in, a claim, a key, and a line in the log of administration."""
    people.reviewer()  # seeds the groups
    user = User.objects.create_user(WHO[0], WHO[3], "secret", first_name="Mara", last_name="Koch")
    user.groups.add(Group.objects.get(name="adjudicator"))
    client = people.admin()
    client.post(f"/admin/auth/user/{user.pk}/change/", {"username": WHO[0], "is_active": "on"})
    user.refresh_from_db()
    User.objects.filter(pk=user.pk).update(first_name="Mara", last_name=BEFORE, email=WHO[3])
    user.refresh_from_db()
    submit(RunFactory(revision=1).pk, Fields(decision="approve"), reviewer=user)
    again = RunFactory(revision=1)
    submit(again.pk, Fields(decision="approve"), reviewer=user)
    submit(again.pk, Fields(decision="reject"), reviewer=User.objects.get(username="mk"))
    User.objects.filter(pk=user.pk).update(last_name="Koch")
    user.refresh_from_db()
    client.post("/admin/generation/apikey/add/", {"name": "Mara Koch at home", "user": user.pk, "scopes": "read"})
    run, other = RunFactory(), RunFactory()
    DraftFactory(run=run)
    DraftFactory(run=other)
    submit(run.pk, Fields(decision="approve"), reviewer=user)
    submit(run.pk, Fields(decision="reject"), reviewer=User.objects.get(username="mk"))
    submit(RunFactory(revision=1).pk, Fields(decision="approve"), reviewer=user)
    queue.take(other.pk, user)
    save_half_filled(other.pk, user, Fields(notes="typed"))
    make_key("Mara's key", user=user)
    return user


def everything() -> str:
    """All rows of all tables as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT to_jsonb(t) FROM "{table}" t')
            found += [json.dumps(row[0]) if not isinstance(row[0], str) else row[0] for row in cursor.fetchall()]
    return "\n".join(found)


def test_nothing_in_the_database_names_them_any_more(mara: User) -> None:
    assert all(word in everything() for word in (*WHO, BEFORE, "Mara Koch at home ("))
    events = ReviewEvent.objects.filter(reviewer=mara).count()
    call_command("erase_person", WHO[0])
    left = everything()
    assert [word for word in (*WHO, BEFORE) if word in left] == []
    assert ReviewEvent.objects.counting().filter(reviewer=mara).count() == events == 4
    new = f"erased-{mara.pk}"
    reviewers = Run.objects.filter(latest_review__isnull=False).values_list("latest_review__reviewer", flat=True)
    assert sorted(reviewers) == [new, new, "mk", "mk"]
    assert not ReviewForm.objects.filter(reviewer=mara, state="half_filled").exists()


def theirs(user: User) -> int:
    """Sessions of theirs, as they are stored."""
    return sum(session.get_decoded().get("_auth_user_id") == str(user.pk) for session in Session.objects.all())


def test_they_are_signed_out_and_cannot_come_back(mara: User) -> None:
    client = Client()
    assert client.login(username=WHO[0], password="secret")
    key = make_key("another", user=mara)[1]
    api = Client(headers={"Authorization": f"Bearer {key}"})
    assert api.get("/api/v1/runs").status_code == 200
    assert theirs(mara) == 1
    call_command("erase_person", WHO[0])
    assert theirs(mara) == 0 and Session.objects.exists(), "and nobody else is signed out"
    assert client.get("/queue/").status_code == 302
    assert api.get("/api/v1/runs").status_code == 401
    assert not Client().login(username=f"erased-{mara.pk}", password="secret")


def test_nothing_is_left_that_the_account_may_or_holds(mara: User) -> None:
    """Each by itself: an account that somebody opens again by mistake opens nothing."""
    User.objects.filter(pk=mara.pk).update(is_staff=True, is_superuser=True)
    mara.groups.add(Group.objects.get(name="adjudicator"))
    mara.user_permissions.add(Permission.objects.get(codename="view_run"))
    call_command("erase_person", WHO[0])
    mara = User.objects.get(pk=mara.pk)
    assert (mara.is_active, mara.is_staff, mara.is_superuser, mara.last_login) == (False, False, False, None)
    assert not mara.has_usable_password()
    assert not mara.groups.exists() and not mara.user_permissions.exists()
    assert not Claim.objects.filter(reviewer=mara).exists()
    assert not ApiKey.objects.filter(user=mara, revoked_at=None).exists()


def test_their_reviews_are_still_shown(mara: User) -> None:
    run = ReviewEvent.objects.filter(reviewer=mara).last()
    call_command("erase_person", WHO[0])
    assert run is not None
    page = people.signed_in(User.objects.get(username="mk")).get(f"/runs/{run.run_id}/")
    assert page.status_code == 200 and f"erased-{mara.pk}" in page.content.decode()


def test_the_last_admin_and_strangers_are_refused() -> None:
    people.admin()
    with pytest.raises(CommandError, match="last admin"):
        call_command("erase_person", "mk")
    with pytest.raises(CommandError, match="no person"):
        call_command("erase_person", "nobody")
