"""Every format read back by whoever reads such files: csv, json and pyarrow. What is read is what went in."""

import csv
import io
import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation.clock import told
from generation.reading import storable
from review.exports.columns import Column, Row, columns
from review.exports.formats import parquet, writer
from review.exports.formats.csv import FORMULA, MARK, NUMBER, safe
from tests.hostile.texts import TEXTS

COLUMNS = columns(
    text="text", whole="integer", share="number", yes="boolean", at="time", data="json", names="texts",
    said="messages",
)  # fmt: skip
NONE: Row = dict.fromkeys(column.name for column in COLUMNS)
HOSTILE = [storable(text) for texts in TEXTS.values() for text in texts]
MORE = ['=cmd|"/C calc"!A0', "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "'=1", "''=1", "'tis",
        "-12.5", "+49 30 1", "", " ", '"', ",", ";", "a\r\nb", "\ufeff", "\u2028"]  # fmt: skip


def a_row(text: str, number: int = 0) -> Row:
    return {
        "text": text,
        "whole": number - 5,
        "share": number / 7,
        "yes": number % 2 == 0,
        "at": datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        + timedelta(days=number, microseconds=number),
        "data": {"text": text, "nested": [number, None]},
        "names": [text] * (number % 3),
        "said": [{"role": "user", "content": text}] * (number % 4),
    }


def rows() -> list[Row]:
    made = [a_row(text, number) for number, text in enumerate((*HOSTILE, *MORE))]
    return [NONE, *made, NONE, NONE | {"names": [], "said": []}]


def written(name: str, given: list[Row], portion: int = 7, of: tuple[Column, ...] = COLUMNS) -> bytes:
    out = writer(name, of)
    parts = [out.begin()]
    parts += [out.rows(given[at : at + portion]) for at in range(0, len(given), portion)]
    return b"".join([*parts, out.end()])


def table(data: bytes) -> Any:
    return pq.read_table(io.BytesIO(data))


def test_json_lines_are_lines_whoever_splits_them() -> None:
    lines = written("jsonl", rows()).decode().splitlines()
    given = [json.loads(json.dumps(row, default=told)) for row in rows()]
    assert [json.loads(line) for line in lines] == given


def test_parquet_is_read_back_to_the_value() -> None:
    read = table(written("parquet", rows())).to_pylist()
    for row, found in zip(rows(), read, strict=True):
        found["data"] = None if found["data"] is None else json.loads(found["data"])
        assert found == row


def test_parquet_says_its_types() -> None:
    schema = table(written("parquet", rows())).schema
    assert schema.field("text").type == pa.string() and schema.field("whole").type == pa.int64()
    assert schema.field("at").type == pa.timestamp("us", tz="UTC")
    assert schema.field("yes").type == pa.bool_() and schema.field("share").type == pa.float64()
    assert pa.types.is_list(schema.field("names").type)
    assert {part.name for part in schema.field("said").type.value_type} == {"role", "content"}


@pytest.mark.parametrize("size", [1, 2, 15, 16, 257])
def test_parquet_in_row_groups_of_any_size(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", size)
    given = [NONE if n % 3 == 0 else a_row("x" * random.Random(n).randrange(300), n) for n in range(257)]
    data = written("parquet", given)
    assert pq.ParquetFile(io.BytesIO(data)).metadata.num_row_groups == -(-257 // size)
    assert [row["text"] for row in table(data).to_pylist()] == [row["text"] for row in given]
    assert [row["said"] for row in table(data).to_pylist()] == [row["said"] for row in given]


def test_parquet_groups_are_written_as_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_BYTES", 10_000)
    out = writer("parquet", columns(text="text"))
    given = [{"text": "y" * 1000} for _ in range(95)]
    sizes = [len(out.rows([row])) for row in given]
    assert sum(size > 0 for size in sizes) == 9 and len(out.end()) > 0


def test_parquet_of_nothing() -> None:
    found = table(written("parquet", []))
    assert found.num_rows == 0 and found.column_names == [column.name for column in COLUMNS]


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def without_apostrophe(cell: str) -> str:
    """What the documentation tells who wants the very text."""
    return (
        cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) and not NUMBER.fullmatch(cell[1:]) else cell
    )


def test_csv_is_read_back_to_the_text() -> None:
    data = written("csv", rows())
    assert data.startswith(MARK.encode()) and data.count(MARK.encode()) >= 1
    for row, found in zip(rows(), read_csv(data), strict=True):
        assert without_apostrophe(found["text"]) == (row["text"] or "")
        assert found["whole"] == ("" if row["whole"] is None else str(row["whole"]))
        assert found["yes"] == {True: "true", False: "false", None: ""}[row["yes"]]
        assert found["data"] == "" if row["data"] is None else json.loads(found["data"]) == row["data"]


def test_no_cell_is_a_formula_and_numbers_stay_numbers() -> None:
    for found in read_csv(written("csv", rows())):
        for name, cell in found.items():
            assert not FORMULA.match(cell) or cell.startswith("'") or NUMBER.fullmatch(cell), (name, cell)
    assert read_csv(written("csv", [NONE | {"whole": -5, "share": -0.5}]))[0]["share"] == "-0.5"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"), ("+1+1", "'+1+1"), ("-1+1", "'-1+1"), ("@a", "'@a"), ("\t1", "'\t1"), ("\r1", "'\r1"),
        ("-12.5", "-12.5"), ("+5", "+5"), ("-", "'-"), ("18 V", "18 V"), ("'tis", "'tis"), ("'=1", "''=1"),
        ("", ""), ("a=1", "a=1"), ("＝1", "'＝1"),
    ],
)  # fmt: skip
def test_cells(text: str, cell: str) -> None:
    assert safe(text) == cell
    assert without_apostrophe(cell) == text
