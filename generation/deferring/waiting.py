"""How many runs of a batch wait for the provider's batch interface, and since when."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Min, Q

from generation.models import DeferredCall
from generation.models.run import IN_PROGRESS


@dataclass(frozen=True)
class Waiting:
    """to_send: not sent yet, for its turn or for money. since: of the one that waits longest."""

    to_send: int
    at_provider: int
    since: datetime | None

    @property
    def total(self) -> int:
        return self.to_send + self.at_provider


OPEN = (DeferredCall.State.WAITING, DeferredCall.State.SENT)


def waiting_in(batch_id: UUID) -> Waiting:
    """One query."""
    rows = DeferredCall.objects.filter(run__batch=batch_id, run__status__in=IN_PROGRESS, state__in=OPEN)
    found = rows.order_by().aggregate(
        to_send=Count("pk", filter=Q(state=DeferredCall.State.WAITING)),
        at_provider=Count("pk", filter=Q(state=DeferredCall.State.SENT)),
        since=Min("created_at"),
    )
    return Waiting(**found)
