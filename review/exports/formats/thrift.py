"""Thrift's compact protocol, as much of it as Parquet's metadata needs to be written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_TRUE, _FALSE = 1, 2


@dataclass(frozen=True)
class I64:
    """A number of 64 bits; a plain int is one of 32."""

    value: int


# Field id, ascending → int, I64, bool, str, list of one kind, Struct, or bytes: a Struct as it is written. None is
# left out.
Struct = Mapping[int, Any]


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def struct(fields: Struct) -> bytes:
    out, last = bytearray(), 0
    for field, value in fields.items():
        if value is None:
            continue
        kind = _kind(value)
        if isinstance(value, bool):
            kind = _TRUE if value else _FALSE
        assert 0 < field - last < 16, "Parquet's fields stand close"
        out.append((field - last) << 4 | kind)
        out += b"" if isinstance(value, bool) else _value(value)
        last = field
    out.append(0)
    return bytes(out)


def _kind(value: Any) -> int:
    if isinstance(value, I64):
        return _I64
    if isinstance(value, str):
        return _BINARY
    if isinstance(value, Mapping | bytes):
        return _STRUCT
    return _LIST if isinstance(value, list) else _I32


def _value(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        text = value.encode()
        return varint(len(text)) + text
    if isinstance(value, Mapping):
        return struct(value)
    if isinstance(value, list):
        return _items(value)
    number = value.value if isinstance(value, I64) else value
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _items(values: Sequence[Any]) -> bytes:
    kind = _kind(values[0]) if values else _STRUCT
    head = bytes([len(values) << 4 | kind]) if len(values) < 15 else bytes([0xF0 | kind]) + varint(len(values))
    return head + b"".join(_value(value) for value in values)
