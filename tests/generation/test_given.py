"""What callers' JSON becomes in the database, which writes numbers out: none is taken that grows absurd."""

import json
from typing import Any

import pytest
from django.db.models import TextField
from django.db.models.functions import Cast

from generation.given import far_numbers, is_far, size
from generation.models import Run
from tests.factories import RunFactory

MOST = 1_000_000


@pytest.mark.parametrize("number", [1e40, -1e40, 1e-40, 6.62607015e-34, 1.98847e30, 0.0, -0.0, 18.5])
def test_numbers_that_are_kept(number: float) -> None:
    assert not is_far(number)
    assert list(far_numbers({"n": [number]}, ())) == []


@pytest.mark.parametrize("number", [1.1e40, -1e41, 1e308, 9e-41, 5e-324])
def test_numbers_that_would_be_written_out_at_length(number: float) -> None:
    found = far_numbers({"a/b": [1, {"n": number}], "n": 10**300}, ("metadata",))
    assert [problem.pointer for problem in found] == ["/metadata/a~1b/1/n"]


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ({}, 2),
        ({"ö": "½"}, len('{"ö":"½"}'.encode())),
        ([1e30, 1.5], len("[1000000000000000000000000000000,1.5]")),
        ([-2.5e-7], len("[-0.00000025]")),
    ],
)
def test_sizes_are_of_numbers_written_out(value: Any, count: int) -> None:
    assert size(value, MOST) == count


def test_what_is_too_large_as_given_is_not_looked_at_further() -> None:
    assert size([1e30] * 100, 99) == len(json.dumps([1e30] * 100, separators=(",", ":")))


@pytest.mark.django_db
@pytest.mark.parametrize("number", [1e40, 1e-40, 1.2345678901234567e-40, 1e39])
def test_the_database_writes_no_more_than_was_counted(number: float) -> None:
    given = {"n": [number] * 10}
    run = RunFactory(metadata=given)
    written = Run.objects.values_list(Cast("metadata", TextField()), flat=True).get(pk=run.pk)
    assert len(written.replace(" ", "")) <= size(given, MOST)
    assert list(map(float, Run.objects.get(pk=run.pk).metadata["n"])) == given["n"]
