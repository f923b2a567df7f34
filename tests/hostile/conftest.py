"""The scripted provider, with learning as it is."""

import pytest
from pytest_django.fixtures import Settings

from tests.generation.conftest import scripted  # noqa: F401
from tests.generation.scripted import Scripted


@pytest.fixture
def learning(scripted: Scripted, settings: Settings) -> Scripted:  # noqa: F811
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"
    return scripted
