"""Who reviews, and what: a reviewer, an adjudicator, a signed-in one, and a run with one draft."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from generation.models import Run
from tests import scenes
from tests.factories import DraftFactory, UserFactory


@pytest.fixture
def mia() -> User:
    user: User = UserFactory(username="mia", first_name="Mia", last_name="Koch")
    return user


@pytest.fixture
def judge() -> User:
    user: User = UserFactory(username="judge")
    user.user_permissions.add(Permission.objects.get(codename="adjudicate_run"))
    return user


@pytest.fixture
def run() -> Run:
    made: Run = DraftFactory().run
    return made


@pytest.fixture
def me() -> User:
    return scenes.reviewer()


@pytest.fixture
def web(client: Client, me: User) -> Client:
    client.force_login(me)
    return client
