"""Commands that show their own progress: the log's everyday lines would bury it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet(level: int = logging.WARNING) -> Iterator[None]:
    """Nothing below `level` is logged inside."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(max(before, level))
    try:
        yield
    finally:
        root.setLevel(before)
