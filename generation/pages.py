"""What the page of a batch shows: its progress, read off its runs."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from generation.models import Batch, Run, Status
from generation.models.run import IN_PROGRESS

PER_PAGE = 100
_KINDS = {Status.APPROVED: "passed", Status.REJECTED: "failed", Status.FAILED: "failed", Status.STOPPED: "failed"}
_WAITING = (Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW)


@dataclass(frozen=True)
class Share:
    """Runs of one status: where their part of the bar begins and how wide it is, in per cent."""

    status: Status
    kind: str
    count: int
    start: float
    width: float

    @property
    def label(self) -> str:
        return str(self.status.label)


@dataclass(frozen=True)
class BatchPage:
    batch: Batch
    shares: list[Share]
    total: int
    open: int  # still being generated
    runs: list[Run]
    next_cursor: str

    @property
    def has_failed(self) -> bool:
        """One failed run marks its batch."""
        return any(share.status == Status.FAILED for share in self.shares)

    @property
    def is_paused(self) -> bool:
        """Its money is spent, and runs of it wait for more."""
        cap = self.batch.spend_cap_usd
        return self.open > 0 and cap is not None and self.batch.cost_usd >= cap

    @property
    def is_over(self) -> bool:
        return self.open == 0


def batch_page(batch: Batch, after: UUID | None = None) -> BatchPage:
    """Three queries, however many runs."""
    counts = dict(batch.runs.values_list("status").annotate(count=Count("pk")).order_by())
    runs = batch.runs.select_related("subcategory").defer("source", "options", "metadata", "trigger_state")
    if after is not None:
        runs = runs.filter(pk__gt=after)  # ids are of version 7: in the order of creation
    found = list(runs.order_by("pk")[: PER_PAGE + 1])
    shown = found[:PER_PAGE]
    return BatchPage(
        batch=batch,
        shares=_shares(counts),
        total=sum(counts.values()),
        open=sum(counts.get(status, 0) for status in IN_PROGRESS),
        runs=shown,
        next_cursor=str(shown[-1].pk) if len(found) > PER_PAGE else "",
    )


def _shares(counts: dict[str, int]) -> list[Share]:
    total, at, shares = sum(counts.values()), 0.0, []
    for status in (
        Status.APPROVED,
        *_WAITING,
        Status.REJECTED,
        Status.FAILED,
        Status.STOPPED,
        *reversed(IN_PROGRESS),
    ):
        if count := counts.get(status, 0):
            width = 100 * count / total
            kind = _KINDS.get(status, "attention" if status in _WAITING else "rest")
            shares.append(Share(status, kind, count, round(at, 3), round(width, 3)))
            at += width
    return shares
