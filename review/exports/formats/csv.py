"""CSV for people: RFC 4180 in UTF-8 with the mark by which Excel knows it, and no cell that is a formula."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from review.exports.columns import Column, Row
from review.exports.formats.jsonl import as_json, one_line, plain

MARK = "\ufeff"
# What a spreadsheet takes for a formula (OWASP, "CSV Injection"), behind any apostrophes of the text's own: those
# count, so that whoever takes one away where it stands so has the very text.
FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


class Csv:
    """A head of names, then a row each. Empty: null, or an empty text. Lists of texts have one a line."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.taken = 0

    def begin(self) -> bytes:
        return (MARK + _written([[column.name for column in self.columns]])).encode()

    def rows(self, rows: Sequence[Row]) -> bytes:
        cells = ([_cell(column, row.get(column.name)) for column in self.columns] for row in rows)
        data = _written(cells).encode()
        self.taken = len(data)
        return data

    def end(self) -> bytes:
        return b""


def safe(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would compute it; a plain number stays one."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def _cell(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.type == "boolean":
        return "true" if value else "false"
    if column.type in ("integer", "number", "time"):
        return plain(value)
    if column.type == "texts":
        return safe("\n".join(value))
    if column.type in ("json", "messages"):
        return safe(one_line(as_json(value)))
    return safe(str(value))


def _written(rows: Any) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
