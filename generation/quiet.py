"""Commands that show their own progress: the log's everyday lines would bury it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Only warnings and errors are logged inside."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(max(before, logging.WARNING))
    try:
        yield
    finally:
        root.setLevel(before)
