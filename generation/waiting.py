"""Working on a run in the foreground, or watching the worker that has it."""

import time
import uuid
from threading import Event, Thread

from django.core.management.base import OutputWrapper
from django.db import connection
from django.db.models.functions import Now

from generation import pipeline
from generation.models import Run
from generation.terminal import Lines

LOOK_EVERY = 0.2  # seconds
TRY_EVERY = 1.0  # while it waits for its next attempt, or a worker has it


def work_on(run_id: uuid.UUID, out: OutputWrapper) -> Run:
    """The run once it is over; its stages are shown on `out` meanwhile.

    KeyboardInterrupt leaves it as it is; what this process held of it is given back first, for a worker to go on.
    """
    lines = Lines(out)
    idle = Event()  # and not Thread.is_alive: a thread whose join was interrupted says that it is dead
    idle.set()
    try:
        while True:
            idle.clear()
            Thread(target=_generate, args=[run_id, idle], daemon=True).start()
            run = _watch(run_id, lines, idle)
            if not run.is_in_progress:
                return run
    except KeyboardInterrupt:
        if not idle.is_set():
            give_back(run_id)
        raise
    finally:
        lines.clear()


def _watch(run_id: uuid.UUID, lines: Lines, idle: Event) -> Run:
    """Show what happens until the run is over, or it is time to try again to work on it."""
    again_at: float | None = None
    while True:
        if idle.wait(0 if again_at else LOOK_EVERY) and again_at is None:
            again_at = time.monotonic() + TRY_EVERY
        run = Run.objects.get(pk=run_id)
        lines.show(run)
        if again_at is not None and (not run.is_in_progress or time.monotonic() >= again_at):
            return run
        if again_at is not None:
            time.sleep(LOOK_EVERY)


def give_back(run_id: uuid.UUID) -> None:
    """No lease any more: the sweep hands the run to a worker, and whoever worked on it stops at its next write."""
    held = Run.objects.in_progress().filter(pk=run_id, lease__isnull=False)
    held.update(lease=None, lease_expires_at=None, next_attempt_at=Now())


def _generate(run_id: uuid.UUID, idle: Event) -> None:
    try:
        pipeline.generate(run_id)
    finally:
        connection.close()  # the thread's own
        idle.set()
