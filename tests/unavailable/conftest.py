"""The installation of the walk: a run for each flow and cause, and one per flow that its judge passed."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as live
from django.db import transaction
from django.test import override_settings

from generation.models import Batch, Run
from generation.providers.anthropic.client import client
from tests.factories import SubcategoryFactory
from tests.generation.change.programs import Program
from tests.generation.change.repositories import registered, repository
from tests.messages_api import KEY, MessagesApi
from tests.unavailable.far_end import CAUSES, FLOWS, PASSES, Case, made


@pytest.fixture(scope="package")
def far_end(tmp_path_factory: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[MessagesApi]:
    """The provider behind its real SDK, and an agent program; all that its runs leave is rolled back."""
    folder = tmp_path_factory.mktemp("agents")
    api = MessagesApi()
    api.start()
    given = {
        "FOLDBACK_PROVIDER": "anthropic",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        "FOLDBACK_AGENT_COMMAND": [],
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],  # of the many who look
    }
    with override_settings(**given), django_db_blocker.unblock(), transaction.atomic():
        Program(folder / "agent.py", live).play()
        registered(repository(folder / "shop"))
        yield api
        transaction.set_rollback(True)
    api.stop()
    client(KEY, api.url).close()
    client.cache_clear()


@pytest.fixture(scope="package")
def walk(far_end: MessagesApi) -> dict[Case, Run]:
    """By flow and cause; those of one flow share a subcategory, those of one cause a batch."""
    where = {flow.name: SubcategoryFactory(slug=f"{flow.name}-things") for flow in FLOWS}
    found = {}
    for cause in (PASSES, *CAUSES):
        batch = Batch.objects.create(name=f"judge: {cause}")
        for flow in FLOWS:
            found[flow.name, cause] = made(far_end, (flow.name, cause), where[flow.name], batch)
    return found
