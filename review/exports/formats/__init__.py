"""How an export is written: each format turns portions of rows into bytes, so that nothing waits for the end."""

from collections.abc import Sequence
from typing import Protocol

from django.utils.module_loading import import_string

from review.exports.columns import Column, Row

WRITERS = {
    "jsonl": "review.exports.formats.jsonl.JsonLines",
    "csv": "review.exports.formats.csv.Csv",
    "parquet": "review.exports.formats.parquet.Parquet",
}


class Writer(Protocol):
    """begin, rows as often as there are some, end; the bytes of all of them one after the other are the file.

    taken: how many bytes the last rows came to, written or kept for later.
    """

    taken: int

    def __init__(self, columns: Sequence[Column]) -> None: ...

    def begin(self) -> bytes: ...

    def rows(self, rows: Sequence[Row]) -> bytes: ...

    def end(self) -> bytes: ...


def writer(name: str, columns: Sequence[Column]) -> Writer:
    made: Writer = import_string(WRITERS[name])(columns)
    return made
