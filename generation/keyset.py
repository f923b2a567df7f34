"""Key-set paging by row comparison: the rows behind a key, in an order that has one direction."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThan,
    TupleLessThanOrEqual,
)


def behind(by: Sequence[str], key: Sequence[Any]) -> Any:
    """The condition for what comes after `key` in the order `by` ("-" before all names, or before none).

    PostgreSQL begins an index of these columns at the key itself, which it does not for the same written with OR.
    """
    return (TupleLessThan if by[0].startswith("-") else TupleGreaterThan)(_columns(by), tuple(key))


def up_to(by: Sequence[str], key: Sequence[Any]) -> Any:
    """The condition for what comes no later than `key`."""
    falling = by[0].startswith("-")
    return (TupleGreaterThanOrEqual if falling else TupleLessThanOrEqual)(_columns(by), tuple(key))


def _columns(by: Sequence[str]) -> Tuple:
    return Tuple(*(F(name.removeprefix("-")) for name in by))


def turned(by: Sequence[str]) -> tuple[str, ...]:
    """The order the other way round."""
    return tuple(name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in by)
