"""Identifiers that sort by the time of their making (UUID version 7, RFC 9562)."""

import secrets
import threading
import time
import uuid

_last = 0
_lock = threading.Lock()


def uuid7() -> uuid.UUID:
    """48 bits of Unix milliseconds, 12 of the fraction behind them (RFC 9562, section 6.2, method 3), 62 random.

    Those of one process rise strictly, also within a millisecond and when its clock steps back:
    the rows of one import list in the order in which they came.
    """
    global _last
    with _lock:
        _last = tick = max((time.time_ns() << 12) // 1_000_000, _last + 1)
    value = (tick >> 12) << 80 | 0x7 << 76 | (tick & 0xFFF) << 64 | 0x2 << 62 | secrets.randbits(62)
    return uuid.UUID(int=value)


def short(run_id: uuid.UUID) -> str:
    """The form that people read: the last four hexadecimal digits, which are random."""
    return run_id.hex[-4:]
