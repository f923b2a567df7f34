"""Identifiers that sort by the time of their making (UUID version 7, RFC 9562)."""

import secrets
import time
import uuid


def uuid7() -> uuid.UUID:
    """48 bits of Unix milliseconds, then the version, the variant and 74 random bits."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)


def short(run_id: uuid.UUID) -> str:
    """The form that people read: the last four hexadecimal digits, which are random."""
    return run_id.hex[-4:]
