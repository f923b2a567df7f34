"""Parquet, as tools read it: row groups that are written as they fill, each column one page, plain and gzipped.

A writer of our own, since what there is weighs from 33 to 165 MiB (docs/decisions.md). After
https://parquet.apache.org/docs/file-format/; the tests read it back with pyarrow.
"""

import struct as packing
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from review.exports.columns import Column, Row
from review.exports.formats.jsonl import as_json
from review.exports.formats.thrift import I64, Struct, struct, varint

MAGIC = b"PAR1"
GROUP_BYTES = 8 * 1024 * 1024  # of values in memory before they are written
GROUP_ROWS = 20_000
LEVEL = 3  # of gzip: the next ones cost twice the time for a twentieth of the size

BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
GZIP, PLAIN, RLE = 2, 0, 3
UTF8, LIST, TIMESTAMP_MICROS = 0, 3, 10
TEXT: Struct = {6: UTF8, 10: {1: {}}}
TIME: Struct = {6: TIMESTAMP_MICROS, 10: {8: {1: True, 2: {2: {}}}}}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class Leaf:
    """One stored column: its place, its values so far, and where there is none (`levels`).

    most: the definition level of a value that is there. starts: repetition levels, of lists alone.
    """

    path: tuple[str, ...]
    physical: int
    most: int = 1
    values: list[Any] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    starts: list[int] | None = None

    def clear(self) -> None:
        self.values, self.levels, self.starts = [], [], None if self.starts is None else []


class Parquet:
    """A list of messages is a list of structs with role and content; JSON is its text."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.leaves = {column.name: _leaves(column) for column in columns}
        self.at = 0  # bytes written
        self.count = 0  # rows in the group that fills
        self.size = 0  # bytes of values in it, about
        self.taken = 0
        self.groups: list[bytes] = []  # written, since thousands of them are kept for the end
        self.total = 0

    def begin(self) -> bytes:
        self.at = len(MAGIC)
        return MAGIC

    def rows(self, rows: Sequence[Row]) -> bytes:
        out, self.taken = b"", 0
        for row in rows:
            size = sum(_add(column, self.leaves[column.name], row.get(column.name)) for column in self.columns)
            self.taken += size
            self.size += size
            self.count += 1
            if self.size >= GROUP_BYTES or self.count >= GROUP_ROWS:
                out += self._group()
        return out

    def end(self) -> bytes:
        out = self._group() if self.count else b""
        footer = struct({
            1: 1, 2: _schema(self.columns), 3: I64(self.total), 4: self.groups, 6: "Foldback",
        })  # fmt: skip
        return out + footer + packing.pack("<I", len(footer)) + MAGIC

    def _group(self) -> bytes:
        pages, chunks, plain = [], [], 0
        for leaf in (leaf for leaves in self.leaves.values() for leaf in leaves):
            page, meta, size = _page(leaf, self.at)
            pages.append(page)
            chunks.append({2: I64(self.at), 3: meta})
            self.at += len(page)
            plain += size
            leaf.clear()
        self.groups.append(struct({1: chunks, 2: I64(plain), 3: I64(self.count)}))
        self.total += self.count
        self.count = self.size = 0
        return b"".join(pages)


def _leaves(column: Column) -> list[Leaf]:
    name = column.name
    if column.type == "texts":
        return [Leaf((name, "list", "element"), BYTE_ARRAY, 2, starts=[])]
    if column.type == "messages":
        return [Leaf((name, "list", "element", part), BYTE_ARRAY, 2, starts=[]) for part in ("role", "content")]
    physical = {"integer": INT64, "time": INT64, "number": DOUBLE, "boolean": BOOLEAN}
    return [Leaf((name,), physical.get(column.type, BYTE_ARRAY))]


def _schema(columns: Sequence[Column]) -> list[Struct]:
    """The tree, each node before its children."""
    found: list[Struct] = [{4: "schema", 5: len(columns)}]
    for column in columns:
        if column.type in ("texts", "messages"):
            found += [
                {3: OPTIONAL, 4: column.name, 5: 1, 6: LIST, 10: {3: {}}},
                {3: REPEATED, 4: "list", 5: 1},
            ]
            if column.type == "texts":
                found.append({1: BYTE_ARRAY, 3: REQUIRED, 4: "element", **TEXT})
                continue
            found.append({3: REQUIRED, 4: "element", 5: 2})
            found += [{1: BYTE_ARRAY, 3: REQUIRED, 4: part, **TEXT} for part in ("role", "content")]
            continue
        (leaf,) = _leaves(column)
        kind = TIME if column.type == "time" else TEXT if leaf.physical == BYTE_ARRAY else {}
        found.append({1: leaf.physical, 3: OPTIONAL, 4: column.name, **kind})
    return found


def _add(column: Column, leaves: Sequence[Leaf], value: Any) -> int:
    """Puts a value into its leaves; how many bytes it takes there, about."""
    if column.type in ("texts", "messages"):
        return sum(_add_list(leaf, _parts(leaf, value)) for leaf in leaves)
    (leaf,) = leaves
    leaf.levels.append(0 if value is None else 1)
    if value is None:
        return 0
    leaf.values.append(_STORED[column.type](value))
    return len(leaf.values[-1]) + 4 if leaf.physical == BYTE_ARRAY else 8


def _parts(leaf: Leaf, value: Any) -> list[bytes] | None:
    if value is None:
        return None
    return [(part if len(leaf.path) == 3 else part[leaf.path[-1]]).encode() for part in value]


def _add_list(leaf: Leaf, parts: list[bytes] | None) -> int:
    """Definition: 0 no list, 1 an empty one, 2 a part. Repetition: 0 where a list begins, 1 behind that."""
    assert leaf.starts is not None
    if not parts:
        leaf.levels.append(0 if parts is None else 1)
        leaf.starts.append(0)
        return 0
    leaf.levels += [2] * len(parts)
    leaf.starts += [0] + [1] * (len(parts) - 1)
    leaf.values += parts
    return sum(len(part) + 4 for part in parts)


def _micros(moment: datetime) -> int:
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


_STORED: Mapping[str, Callable[[Any], Any]] = {
    "text": lambda value: str(value).encode(),
    "json": lambda value: as_json(value).encode(),
    "integer": int,
    "number": float,
    "boolean": bool,
    "time": _micros,
}


def _page(leaf: Leaf, at: int) -> tuple[bytes, Struct, int]:
    """The page with its header, the metadata of its column chunk, and its size without compression."""
    body = b"" if leaf.starts is None else _runs(leaf.starts, 1)
    body += _runs(leaf.levels, leaf.most.bit_length()) + _plain(leaf.physical, leaf.values)
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 31)
    packed = packer.compress(body) + packer.flush()
    header = struct({1: 0, 2: len(body), 3: len(packed), 5: {1: len(leaf.levels), 2: PLAIN, 3: RLE, 4: RLE}})
    meta = {
        1: leaf.physical, 2: [PLAIN, RLE], 3: list(leaf.path), 4: GZIP, 5: I64(len(leaf.levels)),
        6: I64(len(header) + len(body)), 7: I64(len(header) + len(packed)), 9: I64(at),
    }  # fmt: skip
    return header + packed, meta, len(header) + len(body)


def _runs(levels: Iterable[int], bits: int) -> bytes:
    """Levels as runs of one value each (the RLE half of Parquet's hybrid), with their length before them."""
    assert bits <= 8
    out, last, count = bytearray(), -1, 0
    for level in (*levels, -1):
        if level == last:
            count += 1
            continue
        if count:
            out += varint(count << 1) + bytes([last])
        last, count = level, 1
    return packing.pack("<I", len(out)) + bytes(out)


def _plain(physical: int, values: Sequence[Any]) -> bytes:
    if physical == BYTE_ARRAY:
        return b"".join(part for value in values for part in (packing.pack("<I", len(value)), value))
    if physical == BOOLEAN:
        bits = "".join("1" if value else "0" for value in reversed(values))
        return int(bits or "0", 2).to_bytes((len(values) + 7) // 8, "little")
    return packing.pack(f"<{len(values)}{'q' if physical == INT64 else 'd'}", *values)
