"""Rows looked up by many keys at once: `column = ANY (array)`, for which PostgreSQL goes through an index once."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Func, QuerySet, UUIDField, Value


def one_of(column: str, ids: "Sequence[UUID] | QuerySet[Any, UUID]") -> Func:
    """The condition that `column` holds one of these ids.

    An array also where a query gives them: a planner that is given a subquery may read the whole table instead.
    """
    array = ArraySubquery(ids) if isinstance(ids, QuerySet) else Value(list(ids), ArrayField(UUIDField()))
    return Func(column, array, template="%(expressions)s)", arg_joiner=" = ANY (", output_field=BooleanField())
