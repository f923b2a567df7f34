"""Key-set paging by row comparison: the rows behind a key, in an order that has one direction."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan


def behind(by: Sequence[str], key: Sequence[Any]) -> Any:
    """The condition for what comes after `key` in the order `by` ("-" before all names, or before none).

    PostgreSQL begins an index of these columns at the key itself, which it does not for the same written with OR.
    """
    falling = by[0].startswith("-")
    columns = Tuple(*(F(name.removeprefix("-")) for name in by))
    return (TupleLessThan if falling else TupleGreaterThan)(columns, tuple(key))


def turned(by: Sequence[str]) -> tuple[str, ...]:
    """The order the other way round."""
    return tuple(name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in by)
