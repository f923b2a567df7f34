"""Runs that several people review, and the people."""

from typing import Any

from django.contrib.auth.models import Group, User

from generation.models import Run
from review import groups, panel
from review.models import ReviewPolicy
from review.recording import Fields, Recorded, submit
from tests.factories import DraftFactory, RunFactory
from tests.people import a_reviewer


def policy(**given: Any) -> ReviewPolicy:
    """Saved as administration saves it."""
    wanted = {"flow": "item", "reviewers": 2} | given
    if wanted.get("batch"):
        wanted["flow"] = ""
    found: ReviewPolicy = ReviewPolicy.objects.create(**wanted)
    panel.apply(found)
    return found


def waiting(**given: Any) -> Run:
    content = given.pop("content", {"name": "Drill"})
    run = RunFactory(**given)
    draft = DraftFactory(run=run, revision=run.revision, round=run.round, content=content)
    found: Run = Run.objects.get(pk=draft.run.pk)
    return found


def adjudicator(username: str = "ada") -> User:
    groups.seed()
    user = User.objects.create_user(username, password="secret")
    user.groups.add(Group.objects.get(name=groups.ADJUDICATOR))
    return user


def three() -> tuple[User, User, User]:
    """Two reviewers and one who decides between them."""
    return a_reviewer("mia"), a_reviewer("tom"), adjudicator()


def say(run: Run, user: User, decision: str = "approve", **fields: Any) -> Recorded:
    return submit(run.pk, Fields(decision, **fields), reviewer=user)
