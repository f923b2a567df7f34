"""Chromium for the browser tests, against pytest-django's live server."""

import os
from typing import Any

import pytest

from tests.chromium import FLAGS, executable

# Playwright's synchronous API runs an event loop in this thread, in which Django would refuse its ORM.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": executable(), "args": FLAGS}
