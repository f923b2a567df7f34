"""Lists that page by key: the next page begins where the last one ended, however much was added before it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from ninja import Query, Schema
from pydantic import AfterValidator, BeforeValidator, Field

from generation.errors import BadInput

M = TypeVar("M", bound=Model)
MAX_LIMIT = 200


def _in_utc(moment: datetime) -> datetime:
    """PostgreSQL takes no zone that is 16 hours off or more; Python takes any below 24."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time from year 1 to 9999 in UTC") from None


def _no_number(said: object) -> object:
    """Pydantic would take a bare number for seconds since 1970."""
    if isinstance(said, int | float) or (isinstance(said, str) and re.fullmatch(r"\s*[-+]?[\d.]+\s*", said)):
        raise ValueError("a time as 2026-05-04T12:00:00Z")
    return said


# A filter by time; without a zone it is UTC.
Moment = Annotated[datetime, BeforeValidator(_no_number), AfterValidator(_in_utc)]


# Bounds by the time of making: `created_from`; `created_after` and `created_before`.
CreatedFrom = Annotated[Moment | None, Field(description="Included. Without a zone: UTC.")]
CreatedOutside = Annotated[
    Moment | None,
    Field(description="Not included; runs of a batch share it: page by `cursor`. Without a zone: UTC."),
]


class PageQuery(Schema):
    """What every list takes."""

    limit: int = Field(default=50, ge=1, le=MAX_LIMIT, description="How many items a page holds.")
    cursor: str = Field(
        default="", max_length=1000, description="`next_cursor` of the page before; empty: the first page."
    )


Paging = Annotated[PageQuery, Query(...)]


@dataclass(frozen=True)
class Page(Generic[M]):
    items: list[M]
    next_cursor: str | None


def page(rows: "QuerySet[M]", by: tuple[str, ...], paging: PageQuery) -> Page[M]:
    """One page of `rows`, sorted by the fields `by` ("-" before a name: falling); together they are unique.

    A cursor is the sort key of the last item, signed: it holds for this list alone and cannot be made up.
    """
    salt = f"cursor:{rows.model._meta.label}:{','.join(by)}"
    if paging.cursor:
        rows = rows.filter(_after(by, _read(paging.cursor, salt)))
    found = list(rows.order_by(*by)[: paging.limit + 1])
    items = found[: paging.limit]
    more = len(found) > paging.limit
    return Page(items, signing.dumps(_key(items[-1], by), salt=salt) if more else None)


def _key(item: Model, by: tuple[str, ...]) -> list[Any]:
    names = [name.removeprefix("-") for name in by]
    return [item._meta.get_field(name).value_to_string(item) for name in names]  # type: ignore[union-attr]


def _read(cursor: str, salt: str) -> list[Any]:
    try:
        key: list[Any] = signing.loads(cursor, salt=salt)
    except signing.BadSignature:
        raise BadInput.at("/cursor", _("This is no cursor of this list; begin without one.")) from None
    return key


def _after(by: tuple[str, ...], key: list[Any]) -> Q:
    """Rows behind `key`. The bound on the first field alone is redundant; it lets an index begin there."""
    behind, equal = Q(), Q()
    for name, value in zip(by, key, strict=True):
        field = name.removeprefix("-")
        behind |= equal & Q(**{f"{field}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal &= Q(**{field: value})
    first = by[0].removeprefix("-")
    return Q(**{f"{first}__{'lte' if by[0].startswith('-') else 'gte'}": key[0]}) & behind
