"""JSON Lines: a row is an object on a line of its own, whoever splits the lines."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from generation.clock import told
from review.exports.columns import Column, Row

UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # JSON may hold them as they are


class JsonLines:
    """Objects as they are, also what is no column."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.taken = 0

    def begin(self) -> bytes:
        return b""

    def rows(self, rows: Sequence[Row]) -> bytes:
        data = "".join(one_line(as_json(row)) + "\n" for row in rows).encode()
        self.taken = len(data)
        return data

    def end(self) -> bytes:
        return b""


def as_json(value: Any) -> str:
    return json.dumps(value, default=plain, ensure_ascii=False)


def one_line(text: str) -> str:
    """The same JSON without what some readers take for a line's end, and a terminal for a command."""
    return UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def plain(value: Any) -> str:
    """Times whole, to the microsecond: events are ordered by them."""
    return told(value) if isinstance(value, datetime) else str(value)
