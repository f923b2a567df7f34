"""The lease on a run: one worker at a time, by database time alone; every write of a worker goes through it."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from generation.models import Run
from generation.models.run import IN_PROGRESS
from generation.progress import status_changed


class Lost(Exception):
    """The run is no longer ours: it was cancelled, or another worker took it over."""


@dataclass(frozen=True)
class Lease:
    """What a worker holds while it works on a run."""

    run_id: uuid.UUID
    token: uuid.UUID

    def update(self, **fields: Any) -> None:
        """Write to the run and renew the lease, in one conditional UPDATE. Raises Lost."""
        if self._mine().filter(status__in=IN_PROGRESS).update(lease_expires_at=expiry(), **fields) != 1:
            raise Lost

    def move(self, to: str, *, round: int, from_: Collection[str] = IN_PROGRESS, **fields: Any) -> None:
        """Set the run's status and tell those who follow it. Raises Lost."""
        with transaction.atomic():
            if not self._mine().move(self.run_id, to=to, from_=from_, **fields):
                raise Lost
            status_changed(self.run_id, to, round, fields.get("error"))

    def give_up(self, to: str, *, round: int, **fields: Any) -> None:
        """The last write: the status, and no lease any more. Raises Lost."""
        self.move(to, round=round, lease=None, lease_expires_at=None, **fields)

    def park(self, until: Any, *, attempts: int) -> None:
        """Let go of a run that waits; its status stays. until: a database expression. Raises Lost."""
        mine = self._mine().filter(status__in=IN_PROGRESS)
        free = {"lease": None, "lease_expires_at": None}
        if mine.update(next_attempt_at=until, attempts=attempts, error=None, **free) != 1:
            raise Lost

    def _mine(self) -> Any:
        return Run.objects.filter(pk=self.run_id, lease=self.token)


def take(run_id: uuid.UUID) -> Lease | None:
    """The lease on a run that is due, and one attempt more on its count; None where there is nothing to do."""
    token = take_row(Run.objects.filter(pk=run_id))
    return Lease(run_id, token) if token else None


def take_row(row: QuerySet[Any]) -> uuid.UUID | None:
    """Take the one row of a table with a lease, as `take`; the token, or None."""
    token = uuid.uuid4()
    free = Q(lease__isnull=True) | Q(lease_expires_at__lt=Now())
    due = Q(next_attempt_at__isnull=True) | Q(next_attempt_at__lte=Now())
    taken = row.filter(free & due, status__in=IN_PROGRESS).update(
        lease=token,
        lease_expires_at=expiry(),
        next_attempt_at=None,
        attempts=F("attempts") + 1,
        started_at=Coalesce("started_at", Now()),
    )
    return token if taken else None


def expiry() -> Any:
    return Now() + timedelta(seconds=settings.RUN_LEASE_SECONDS)
