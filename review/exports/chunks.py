"""Reading in portions: by key, each in a short snapshot of its own, and not larger than memory should hold."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection, transaction

from generation.models import Run
from generation.models.run import RunQuerySet
from review.exports.columns import Row

MOST = 200  # runs (or judgements) at a time
FIRST = 50
BYTES = 2 * 1024 * 1024  # what a portion should be; one run may be more


@dataclass
class Pace:
    """How many rows the next portion reads: fewer where they are large, so that memory stays flat."""

    bytes: int = BYTES
    size: int = 0

    def next(self) -> int:
        self.size = min(self.size or FIRST, MOST)
        return self.size

    def told(self, written: int) -> None:
        """What the last portion came to, in bytes."""
        fitting = self.size * self.bytes // max(written, 1)
        self.size = max(1, min(fitting, 2 * self.size, MOST))


@dataclass
class Chunk:
    """Rows read together. looked_at: runs or judgements; left_out: why some gave no row, and how many."""

    rows: list[Row]
    looked_at: int
    left_out: Counter[str] = field(default_factory=Counter)


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside is of one moment. It lasts while a portion is read, never while it is sent."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def by_run(runs: RunQuerySet, pace: Pace, read: Callable[[list[Run]], Chunk]) -> Iterator[Chunk]:
    """What `read` makes of the runs, so many at a time, in the order of their making.

    Each at most once, and none that was made after this began.
    """
    runs, after = runs.order_by("pk"), UUID(int=0)
    last = Run.objects.order_by("-pk").values_list("pk", flat=True).first()
    while last is not None:
        wanted = pace.next()
        with snapshot():
            found = list(runs.filter(pk__gt=after, pk__lte=last)[:wanted])
            chunk = read(found) if found else None
        if chunk is not None:
            yield chunk
        if len(found) < wanted:
            return
        after = found[-1].pk
