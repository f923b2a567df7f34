"""Runs of the change flow: a real repository, a real program as agent, a scripted reviewer."""

from pathlib import Path
from typing import Any

import pytest

from generation import runs
from generation.intake import parse
from generation.models import Repository, Run
from tests.generation.change.programs import Program, program, said
from tests.generation.change.repositories import registered, repository
from tests.generation.scripted import Scripted

__all__ = ["program"]

BEAD = {"id": "shop-7", "title": "Say when it is done", "status": "open", "priority": 0}


@pytest.fixture
def shop(tmp_path: Path, db: None) -> Repository:
    return registered(repository(tmp_path / "shop"))


@pytest.fixture
def reviewer(scripted: Scripted) -> Scripted:
    """The provider of the runs, which answers for the reviewer."""
    scripted.lines["reviewer"] = [said("pass")]
    return scripted


@pytest.fixture
def change(shop: Repository, program: Program, reviewer: Scripted) -> Run:
    """A queued run that will be reviewed."""
    return new_change()


def new_change(**given: Any) -> Run:
    options = {"review": True} | given.pop("options", {})
    source = {"bead": BEAD, "repository": "shop"} | given.pop("source", {})
    source = {name: value for name, value in source.items() if value is not None}
    return runs.create(parse({"flow": "change", "source": source, "options": options} | given))
