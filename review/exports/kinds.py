"""The kinds of exports: for each the rows that it has as JSON lines and as a table, and what it counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from review.exports import judgements, reviews, training
from review.exports.chunks import Chunk, Pace
from review.exports.columns import Column
from review.exports.wanted import Wanted

Rows = Callable[[Wanted, Pace], Iterator[Chunk]]


@dataclass(frozen=True)
class Kind:
    """candidates: what is looked at, one by one, as a query. lines: rows as JSON; table: as CSV and Parquet."""

    columns: Callable[[Wanted], tuple[Column, ...]]
    candidates: Callable[[Wanted], Any]
    lines: Rows
    table: Rows


KINDS = {
    "reviews": Kind(lambda wanted: reviews.COLUMNS, reviews.runs, reviews.lines, reviews.table),
    "training": Kind(
        lambda wanted: training.COLUMNS[wanted.form or "full"], training.runs, training.rows, training.rows
    ),
    "judgements": Kind(lambda wanted: judgements.COLUMNS, judgements.judgements, judgements.rows, judgements.rows),
}
