"""Generation with a scripted provider and without learning."""

import pytest
from pytest_django.fixtures import Settings

from generation import pipeline, providers, runs
from generation.flows.item.units import registry
from generation.intake import parse
from generation.models import Run
from tests.factories import SubcategoryFactory
from tests.generation.scripted import PROVIDER, Scripted


@pytest.fixture
def scripted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """The provider of all runs that the test makes; a good run unless it plays something else."""
    monkeypatch.setitem(providers.PROVIDERS, "scripted", "tests.generation.scripted")
    settings.FOLDBACK_PROVIDER = "scripted"
    settings.PROMPT_RESOLVER = ""
    PROVIDER.play()
    return PROVIDER


@pytest.fixture
def run(scripted: Scripted, db: None) -> Run:
    """A queued run of a known subcategory."""
    return new_run()


def new_run(**body: object) -> Run:
    subcategory = SubcategoryFactory()
    return runs.create(
        parse({"flow": "item", "subcategory": subcategory.slug, "source": {"title": "Makita DHP484"}} | body)
    )


def generated(run: Run) -> Run:
    """The run after one attempt of the pipeline."""
    pipeline.generate(run.id)
    run.refresh_from_db()
    return run


@pytest.fixture(scope="session", autouse=True)
def _units_loaded() -> None:
    """pint takes half a second once; no single test should look slow for it."""
    registry()
