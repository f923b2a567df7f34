"""Runs that wait for the batch interface, with the real SDK against the local server."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import pipeline, runs
from generation.deferring.collecting import collect
from generation.deferring.recovering import recover
from generation.deferring.sending import send
from generation.intake import parse
from generation.models import Run
from tests.batches_api import BatchesApi, succeeded
from tests.factories import SubcategoryFactory
from tests.generation.scripted import record
from tests.messages_api import MessagesApi, messages_api

__all__ = ["messages_api"]


@pytest.fixture
def far_end(messages_api: MessagesApi, settings: Settings, db: None) -> MessagesApi:
    settings.FOLDBACK_PROVIDER = "anthropic"
    settings.PROMPT_RESOLVER = ""
    return messages_api


@pytest.fixture
def batches(far_end: MessagesApi) -> BatchesApi:
    return far_end.batches


def economical(**body: Any) -> Run:
    given = {"flow": "item", "subcategory": SubcategoryFactory().slug, "source": {"title": "Makita DHP484"}}
    return runs.create(parse(given | {"options": {"economy": True}} | body))


def worked(*made: Run) -> None:
    """Each run as far as it goes without another answer."""
    for run in made:
        pipeline.generate(run.id)
        run.refresh_from_db()


def good(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a good model says: a record where one is asked for, else PASS."""
    return succeeded(record() if "output_config" in params else "PASS")


def exchanged(batches: BatchesApi, answers: Callable[[Mapping[str, Any]], Any] = good) -> None:
    """All that waits is sent, answered and collected."""
    recover()
    send()
    batches.end(answers)
    collect()
