"""Rows by COPY are the rows that the ORM would have made."""

from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from generation.batches import create_many
from generation.copying import copy_in
from generation.ids import uuid7
from generation.intake import parse
from generation.models import Category, Run
from generation.runs import create
from tests.factories import SubcategoryFactory

pytestmark = pytest.mark.django_db
OWN = {"id", "batch_id", "created_at", "changed_at", "sampled", "priority"}  # the last two come of the id
AWKWARD = 'tab\there, "quotes", \\N, \\t, a back\\slash,\nline\r\n, {"a": null}, 1,8 kg, Grösse 😀'


def test_a_run_of_a_batch_is_stored_as_one_made_alone() -> None:
    SubcategoryFactory(slug="drills")
    body = {
        "flow": "item",
        "subcategory": "drills",
        "external_id": AWKWARD,
        "source": {"title": AWKWARD, "text": AWKWARD, "url": None},
        "metadata": {AWKWARD: [1.5, None, True, AWKWARD]},
        "options": {"review": False},
    }
    alone = create(parse(body))
    _batch, [of_batch], _bad = create_many([body])
    assert _stored(of_batch) == _stored(alone.pk)


def _stored(run_id: UUID) -> dict[str, Any]:
    run = Run.objects.get(pk=run_id)
    return {
        field.attname: getattr(run, field.attname)
        for field in Run._meta.concrete_fields
        if field.attname not in OWN
    }


def test_what_rows_share_is_given_once_and_a_rows_own_value_goes_before_it() -> None:
    runs = [{"id": uuid7(), "source": {"title": "A saw"}, "round": 2}, {"id": uuid7(), "source": {}, "round": 3}]
    copy_in(Run, runs, {"flow": "item", "options": {"review": False}, "round": 9})
    stored = Run.objects.order_by("pk").values_list("flow", "options", "round", "source", "status")
    assert list(stored) == [
        ("item", {"review": False}, 2, {"title": "A saw"}, "queued"),
        ("item", {"review": False}, 3, {}, "queued"),
    ]


def test_no_rows_are_no_statement() -> None:
    copy_in(Run, [])


def test_the_databases_rules_hold_and_all_rows_go_in_or_none() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        copy_in(Category, [{"name": "Tools"}, {"name": "Tools"}])
    assert not Category.objects.exists()
