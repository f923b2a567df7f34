"""Which two people differ how often: for an admin who opens it, and never as a list of who is best."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User

from generation.keyset import behind as keys_behind
from learning.agreement import counts
from learning.models import Pair
from review.exports.columns import Column, Row, columns
from review.people import name_of

PER_PAGE = 50
ORDER = ("first_id", "second_id")  # as people joined: no order of merit
COLUMNS: tuple[Column, ...] = columns(
    flow="text", first="text", second="text", what="text", said="integer", differed="integer"
)


@dataclass(frozen=True)
class Both:
    """Of so many records that both said something of, they differed in so many."""

    what: str
    said: int
    differed: int


@dataclass(frozen=True)
class Two:
    flow: str
    first: str
    second: str
    by_what: list[Both]

    def as_rows(self) -> Iterator[Row]:
        for one in self.by_what:
            yield {
                "flow": self.flow, "first": self.first, "second": self.second, "what": one.what,
                "said": one.said, "differed": one.differed,
            }  # fmt: skip


@dataclass(frozen=True)
class Pairs:
    twos: list[Two]
    behind: str  # the key of the next ones, empty where there are none


def pairs(flow: str, *, behind: str = "") -> Pairs:
    """One page of pairs that reviewed a record of the flow together. Two queries."""
    found = Pair.objects.filter(flow=flow).exclude(said=[0] * len(counts.WHAT))
    if key := _key(behind):
        found = found.filter(keys_behind(ORDER, key))
    rows = list(found.order_by(*ORDER)[: PER_PAGE + 1])
    shown = rows[:PER_PAGE]
    names = User.objects.in_bulk({pk for row in shown for pk in (row.first_id, row.second_id)})
    twos = [Two(flow, name_of(names[row.first_id]), name_of(names[row.second_id]), _by_what(row)) for row in shown]
    return Pairs(twos, f"{shown[-1].first_id}-{shown[-1].second_id}" if len(rows) > PER_PAGE else "")


def _by_what(row: Pair) -> list[Both]:
    return [Both(*one) for one in zip(counts.WHAT, row.said, row.differed, strict=True)]


def _key(behind: str) -> tuple[int, int] | None:
    first, dash, second = behind.partition("-")
    return (int(first), int(second)) if dash and first.isdecimal() and second.isdecimal() else None
