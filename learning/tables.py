"""A page's numbers as CSV, one click away: the same address with `?format=csv`."""

from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from review.exports.columns import Column, Row
from review.exports.formats.csv import Csv

CSV = "csv"


def as_csv(name: str, columns: Sequence[Column], rows: Iterable[Row]) -> HttpResponse:
    """A file that spreadsheets open without computing anything; the rows fit a page, and so the memory."""
    writer = Csv(columns)
    response = HttpResponse(writer.begin() + writer.rows(list(rows)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
