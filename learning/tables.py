"""A page's table as CSV: the same address, with `?format=csv`."""

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse

from review.exports.columns import Column, Row
from review.exports.formats.csv import Csv


def wants_csv(request: HttpRequest) -> bool:
    return request.GET.get("format") == "csv"


def csv_response(name: str, columns: tuple[Column, ...], rows: Iterable[Row]) -> HttpResponse:
    """As `foldback-<name>.csv`; no cell of it is a formula."""
    table = Csv(columns)
    data = table.begin() + table.rows(list(rows)) + table.end()
    headers = {"Content-Disposition": f'attachment; filename="foldback-{name}.csv"'}
    return HttpResponse(data, content_type="text/csv; charset=utf-8", headers=headers)
