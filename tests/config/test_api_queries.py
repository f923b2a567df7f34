"""A query parameter that a call does not take is refused by name."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from generation.models import Run
from tests.callers import Caller, pointers
from tests.config.test_api_errors import BODIES, OPERATIONS, address

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("call", OPERATIONS)
def test_every_call_refuses_an_unknown_parameter_and_names_those_it_knows(call: str) -> None:
    method, path, found = OPERATIONS[call]
    caller = Caller(user=User.objects.create_superuser("ad", password="secret"))
    there = address(path.replace("{format}", "csv"))
    answer = caller(method, f"{there}?sicne=2026-11-22", BODIES.get(call))
    assert (answer.status_code, pointers(answer)) == (422, ["/sicne"])
    known = ", ".join(taken["name"] for taken in found["parameters"] if taken["in"] == "query")
    assert answer.json()["detail"] == f"unknown parameter; known: {known or 'none'}"


def test_each_one_is_pointed_at() -> None:
    answer = Caller().get("/runs", **{"statsu": "failed", "limit": "1", "a/b": ""})
    assert (answer.status_code, pointers(answer)) == (422, ["/statsu", "/a~1b"])


def test_what_is_asked_wrongly_is_not_done() -> None:
    item: Any = BODIES["create_run"]
    assert Caller()("POST", "/runs?dry_run=1", item).status_code == 422
    assert not Run.objects.exists()


def test_a_key_too_small_hears_of_no_parameters() -> None:
    assert Caller("write").get("/runs", statsu="failed").status_code == 403


def test_a_parameter_that_is_taken_is_no_error_where_it_is_empty() -> None:
    assert Caller().get("/runs", status="failed", flow="", cursor="").status_code == 200


@pytest.mark.parametrize("path", ["/runs", "/prompts/item/extraction"])
def test_more_than_django_reads(path: str) -> None:
    answer = Caller().get(path, **{f"a{number}": "1" for number in range(1001)})
    assert (answer.status_code, pointers(answer)) == (422, [""])
