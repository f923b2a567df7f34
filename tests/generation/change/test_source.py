"""What a change is made for: the shape of its source, its title, and the repository that it names."""

from typing import Any

import pytest

from generation.batches import create_many
from generation.errors import BadInput
from generation.flows.change.source import render, title_of
from generation.intake import parse
from generation.models import Repository, Run
from generation.runs import create
from tests.callers import Caller, pointers
from tests.generation.change.conftest import BEAD
from tests.generation.scripted import Scripted


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"bead": BEAD},
        {"bead": {"id": "a", "title": "b", "status": "open"}},
        {"bead": {**BEAD, "priority": "P1", "description": "long"}},
        {"instructions": "Tidy up."},
        {"bead": None, "repository": None, "instructions": None},
    ],
)
def test_good_sources(source: dict[str, Any]) -> None:
    assert parse({"flow": "change", "source": source}).source == source


@pytest.mark.parametrize(
    ("source", "pointer"),
    [
        ({"bead": {"id": "a", "title": "b"}}, "/source/bead/status"),
        ({"bead": {"id": " ", "title": "b", "status": "open"}}, "/source/bead/id"),
        ({"bead": {**BEAD, "priority": True}}, "/source/bead/priority"),
        ({"bead": {**BEAD, "assignee": "x"}}, "/source/bead/assignee"),
        ({"bead": "shop-7"}, "/source/bead"),
        ({"branch": "main"}, "/source/branch"),
        ({"repository": ["a"]}, "/source/repository"),
    ],
)
def test_bad_ones_are_named(source: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse({"flow": "change", "source": source})
    assert pointer in {problem.pointer for problem in refused.value.problems}


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ({"bead": {**BEAD, "title": " Two\nlines "}}, "Two lines"),
        ({"instructions": "\nTidy up.\nAll of it."}, "Tidy up."),
        ({"repository": "shop"}, "shop"),
        ({}, "Change"),
    ],
)
def test_titles(source: dict[str, Any], title: str) -> None:
    assert title_of(source) == title


def test_priority_0_is_a_priority_and_none_is_none() -> None:
    assert "priority: 0" in render({"bead": BEAD})
    assert "priority" not in render({"bead": {**BEAD, "priority": None}})


@pytest.mark.django_db
def test_only_registered_repositories(shop: Repository, scripted: Scripted) -> None:
    with pytest.raises(BadInput) as refused:
        create(parse({"flow": "change", "source": {"repository": shop.path}}))
    assert refused.value.problems[0].pointer == "/source/repository"
    assert create(parse({"flow": "change", "source": {"repository": "shop"}})).title == "shop"
    bodies = [{"flow": "change", "source": {"repository": name}} for name in ("shop", "other", "shop")]
    _, ids, bad = create_many(bodies)
    assert len(ids) == 2 and [index for index, _ in bad] == [1]


@pytest.mark.django_db
def test_over_rest(shop: Repository, scripted: Scripted) -> None:
    call = Caller()
    refused = call("POST", "/runs", {"flow": "change", "source": {"repository": "no-such"}})
    assert refused.status_code == 422 and pointers(refused) == ["/source/repository"]
    made = call("POST", "/runs", {"flow": "change", "source": {"bead": BEAD, "repository": "shop"}})
    assert made.status_code == 202 and Run.objects.get().title == BEAD["title"]
