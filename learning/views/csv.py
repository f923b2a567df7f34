"""A table of a page as CSV: the same address with `?format=csv`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from review.exports.columns import Column, Row
from review.exports.formats.csv import Csv


@dataclass(frozen=True)
class Table:
    """name: of the file, without its ending."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[Row]


def wants_csv(request: HttpRequest) -> bool:
    return request.GET.get("format") == "csv"


def as_csv(table: Table) -> HttpResponse:
    """What a page shows is short: it is sent whole, without a cell that is a formula."""
    writer = Csv(table.columns)
    body = writer.begin() + writer.rows(table.rows) + writer.end()
    return HttpResponse(
        body,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="foldback-{table.name}.csv"'},
    )
