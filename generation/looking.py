"""Looking what happened to runs: once for a run, or time and again for all that a process's streams follow.

However many streams there are, one task looks for all of them with one statement, in one thread.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections, connection

from generation.models.run import IN_PROGRESS

log = structlog.get_logger(__name__)
POLL_SECONDS = 0.5
AWAY_SECONDS = 3.0  # while the database does not answer
Place = tuple[UUID, int]  # a run, and the event that its reader has seen last
# One snapshot: an event that was written together with the status is there when the status is.
_NEWS = """
SELECT wanted.run, wanted.after, run.status, run.shown_status,
       event.id, event.kind, event.node, event.badge, event.round, event.attempt, event.detail, event.created_at
FROM unnest(%(runs)s::uuid[], %(after)s::bigint[]) AS wanted (run, after)
LEFT JOIN generation_run run ON run.id = wanted.run
LEFT JOIN generation_nodeevent event ON event.run_id = wanted.run AND event.id > wanted.after
WHERE run.id IS NULL OR event.id IS NOT NULL OR run.status <> ALL(%(in_progress)s)
ORDER BY event.id
"""


class Happened(NamedTuple):
    """A NodeEvent as streams tell it."""

    id: int
    kind: str
    node: str
    badge: str
    round: int
    attempt: int
    detail: str
    created_at: datetime


@dataclass
class Seen:
    """What is new about a run; `status` is None where there is no such run."""

    status: str | None
    shown_status: str | None = None  # as it is told to who must not know what the judge found
    events: list[Happened] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.status not in IN_PROGRESS


def look(run_id: UUID, after: int) -> Seen:
    """The run as it is, and its events behind `after`."""
    return news([(run_id, after)]).get((run_id, after)) or Seen(IN_PROGRESS[0], IN_PROGRESS[0])


def news(places: Collection[Place]) -> dict[Place, Seen]:
    """Of those runs to which something happened behind the event that was seen last, or that are over."""
    wanted: Any = {
        "runs": [run_id for run_id, _ in places],
        "after": [after for _, after in places],
        "in_progress": list(IN_PROGRESS),
    }
    found: dict[Place, Seen] = {}
    with connection.cursor() as cursor:
        cursor.execute(_NEWS, wanted)
        for run_id, after, status, shown, *event in cursor.fetchall():
            seen = found.setdefault((run_id, after), Seen(status, shown))
            if event[0] is not None:
                seen.events.append(Happened(*event))
    return found


async def changed(run_id: UUID, after: int, seconds: float) -> Seen | None:
    """What happens to the run behind the event `after`; None where nothing did for so long."""
    lookout = _lookouts.setdefault(asyncio.get_running_loop(), Lookout())
    return await lookout.wait((run_id, after), seconds)


class Lookout:
    """Looks for all that wait in one event loop, as long as somebody waits."""

    def __init__(self) -> None:
        self._waiting: dict[Place, set[asyncio.Future[Seen]]] = defaultdict(set)
        self._looking: asyncio.Task[None] | None = None

    async def wait(self, place: Place, seconds: float) -> Seen | None:
        future = asyncio.get_running_loop().create_future()
        self._waiting[place].add(future)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            return None
        finally:
            self._waiting[place].discard(future)
            if not self._waiting[place]:
                del self._waiting[place]

    async def _look(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(POLL_SECONDS)
                try:
                    found = await sync_to_async(_news_of, thread_sensitive=False)(list(self._waiting))
                except DatabaseError as error:  # the streams stay; what they missed is told afterwards
                    log.warning("looking_failed", runs=len(self._waiting), error=type(error).__name__)
                    await asyncio.sleep(AWAY_SECONDS)
                    continue
                self._tell(found)
        finally:
            self._looking = None

    def _tell(self, found: dict[Place, Seen]) -> None:
        for place, seen in found.items():
            for future in self._waiting.get(place, ()):
                if not future.done():
                    future.set_result(seen)


def _news_of(places: list[Place]) -> dict[Place, Seen]:
    """In a thread of the pool that all share, whose connection is given back."""
    try:
        return news(places)
    finally:
        close_old_connections()


_lookouts: "WeakKeyDictionary[asyncio.AbstractEventLoop, Lookout]" = WeakKeyDictionary()
