"""Who reviews, and what: a reviewer, an adjudicator, and a run with one draft."""

import pytest
from django.contrib.auth.models import Permission, User

from generation.models import Run
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
