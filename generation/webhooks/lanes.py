"""Threads of their own for webhooks within a worker: a slow receiver takes none that runs are made in."""

import threading
from collections import deque
from collections.abc import Callable
from uuid import UUID

import structlog
from django.db import connections

log = structlog.get_logger(__name__)
MOST = 8  # endpoints at once; the others wait for their turn


class Lanes:
    """A line of endpoints, and at most `most` threads that serve it. An endpoint with more to do goes to its end.

    Nothing is lost with the process: what is due stands in the database, and the sweep brings it here again.
    """

    def __init__(self, serve: Callable[[UUID], bool], most: int = MOST) -> None:
        self._serve = serve
        self._most = most
        self._line: deque[UUID] = deque()
        self._threads = 0
        self._lock = threading.Lock()

    def hand(self, endpoint_id: UUID) -> None:
        """To the end of the line, unless it stands there already. Returns at once."""
        with self._lock:
            if endpoint_id in self._line:
                return
            self._line.append(endpoint_id)
            if self._threads >= self._most:
                return
            self._threads += 1
        threading.Thread(target=self._work, name="webhooks", daemon=True).start()

    def _work(self) -> None:
        try:
            while (endpoint_id := self._first()) is not None:
                self._one(endpoint_id)
        finally:
            connections.close_all()

    def _first(self) -> UUID | None:
        """The next in line; None, and one thread fewer, where nobody waits."""
        with self._lock:
            if self._line:
                return self._line.popleft()
            self._threads -= 1
            return None

    def _one(self, endpoint_id: UUID) -> None:
        try:
            if self._serve(endpoint_id):
                self.hand(endpoint_id)
        except Exception:  # the task's boundary: the sweep tries again
            log.exception("webhooks_broke", endpoint=str(endpoint_id))
            connections.close_all()
