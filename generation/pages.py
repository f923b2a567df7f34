"""What the page of a batch shows: its progress, read off its runs."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Exists, Min, OuterRef, Q
from django.db.models.fields.json import KT
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from generation import timeline
from generation.blind import without_judge
from generation.deferring.waiting import OPEN, Waiting, waiting_in
from generation.models import Batch, DeferredCall, JudgeOutcome, NodeEvent, Run, Status
from generation.models.run import IN_PROGRESS
from generation.money import dollars
from generation.verdicts import ended

PER_PAGE = 100
CENT = Decimal("0.01")
WORKING_SHOWN = 8
TROUBLES_SHOWN = 8
_WAITING = (Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW)
_WORKING = (Status.FIXING, Status.REVIEWING, Status.GENERATING)
_ENDED_BADLY = (Status.FAILED, Status.STOPPED)
_KINDS = {
    Status.APPROVED: "passed",
    **dict.fromkeys(_WAITING, "attention"),
    **dict.fromkeys((Status.REJECTED, *_ENDED_BADLY), "failed"),
    **dict.fromkeys(_WORKING, "machine"),
}
_ORDER = (Status.APPROVED, *_WAITING, Status.REJECTED, *_ENDED_BADLY, *_WORKING, Status.QUEUED)


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
class Trouble:
    """Runs that ended badly, or wait, for one reason; `detail` is one of them's own words."""

    status: Status
    unjudged: bool  # the judge could not judge them
    code: str
    count: int
    detail: str

    @property
    def words(self) -> str:
        return ended({"code": self.code, "detail": self.detail}, unjudged=self.unjudged)


@dataclass(frozen=True)
class Working:
    """A run that is worked on, and the stage it is in; no stage where it has just begun."""

    run: Run
    stage: str = ""
    badge: str = ""
    attempt: int = 1
    since: datetime | None = None


@dataclass(frozen=True)
class BatchPage:
    batch: Batch
    shares: list[Share]
    total: int
    open: int  # still being generated
    working: list[Working]
    working_total: int
    troubles: list[Trouble]
    runs: list[Run]
    status: str  # the one that the list shows; empty for all
    next_cursor: str
    waiting: Waiting  # for the provider's batch interface

    @property
    def title(self) -> str:
        """Its name, else when it was made."""
        at = date_format(timezone.localtime(self.batch.created_at), "j F, H:i")
        return self.batch.name or _("Batch of %(at)s") % {"at": at}

    @property
    def has_failed(self) -> bool:
        """One failed run marks its batch."""
        return any(share.status == Status.FAILED for share in self.shares)

    @property
    def needs_person(self) -> bool:
        """Runs that no judge passed wait for a person."""
        return any(share.status == Status.NEEDS_HUMAN_REVIEW for share in self.shares)

    @property
    def is_paused(self) -> bool:
        """Its money is spent, and runs of it wait for more."""
        cap = self.batch.spend_cap_usd
        return self.open > 0 and cap is not None and self.batch.cost_usd >= cap

    @property
    def is_over(self) -> bool:
        return self.open == 0

    @property
    def made(self) -> int:
        return self.total - self.open

    @property
    def spent(self) -> Decimal:
        """Per cent of the cap; 0 without one."""
        cap = self.batch.spend_cap_usd
        return min(Decimal(100), 100 * self.batch.cost_usd / cap) if cap else Decimal(0)

    @property
    def money(self) -> str:
        """What was spent, and of how much; from a dollar on to the cent."""
        spent, cap = self.batch.cost_usd, self.batch.spend_cap_usd
        cost = dollars(spent if spent < 1 else spent.quantize(CENT))
        return cost if cap is None else _("%(cost)s of %(cap)s") % {"cost": cost, "cap": dollars(cap)}


def batch_page(batch: Batch, after: UUID | None = None, status: str = "") -> BatchPage:
    """Five queries, however many runs. status: the list shows runs of this one alone."""
    counts, troubles = _counts(batch)
    runs = batch.runs.select_related("subcategory").defer(
        "source", "options", "metadata", "trigger_state", "first_trigger_state"
    )
    if status:
        runs = runs.filter(shown_status=status)
    if after is not None:
        runs = runs.filter(pk__gt=after)  # ids are of version 7: in the order of creation
    found = list(runs.order_by("pk")[: PER_PAGE + 1])
    waiting = waiting_in(batch.pk)
    shown = [_as_shown(run) for run in found[:PER_PAGE]]
    return BatchPage(
        batch=batch,
        shares=_shares(counts),
        total=sum(counts.values()),
        open=sum(counts.get(status, 0) for status in IN_PROGRESS),
        working=_working(batch),
        working_total=max(0, sum(counts.get(status, 0) for status in _WORKING) - waiting.total),
        troubles=troubles,
        runs=shown,
        status=status,
        next_cursor=str(shown[-1].pk) if len(found) > PER_PAGE else "",
        waiting=waiting,
    )


def _as_shown(run: Run) -> Run:
    """To everybody the same: the page of many runs tells no finding that one of its readers must not know."""
    return without_judge(run) if run.hides_judge else run


def _counts(batch: Batch) -> tuple[dict[str, int], list[Trouble]]:
    """Runs by status; and those that ended badly or wait, by reason, the most frequent first."""
    counts: dict[str, int] = {}
    troubles = []
    runs = batch.runs.annotate(unjudged=Q(judge_outcome=JudgeOutcome.UNAVAILABLE)).order_by()
    grouped = runs.values_list("shown_status", "unjudged", KT("error__code"))
    for status, unjudged, code, count, detail in grouped.annotate(
        runs=Count("pk"), detail=Min(KT("error__detail"))
    ):
        counts[status] = counts.get(status, 0) + count
        if code and status in (*_ENDED_BADLY, Status.QUEUED):
            troubles.append(Trouble(Status(status), unjudged, code, count, detail or ""))
    place = {status: at for at, status in enumerate(_ORDER)}
    troubles.sort(key=lambda trouble: (place[trouble.status], -trouble.count, trouble.code))
    return counts, troubles[:TROUBLES_SHOWN]


def _working(batch: Batch) -> list[Working]:
    """Those that were begun last, each with the stage that it entered last; none that waits for a later answer."""
    waits = DeferredCall.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    runs = batch.runs.filter(~Exists(waits), status__in=_WORKING).only(
        "id", "batch", "title", "flow", "started_at", "blind_to_judge"
    )
    found = list(runs.order_by("-started_at", "-pk")[:WORKING_SHOWN])
    entered = NodeEvent.objects.filter(run__in=found, kind=NodeEvent.Kind.NODE_ENTER)
    newest = {event.run_id: event for event in entered.order_by("run_id", "-id").distinct("run_id")}
    return [_at(run, newest.get(run.pk)) for run in found]


def _at(run: Run, event: NodeEvent | None) -> Working:
    if event is None or run.blind_to_judge:  # a stage that begins anew tells what the judge found
        return Working(run, since=run.started_at)
    stage = timeline.label(run.flow, event.node)
    return Working(run, stage, event.badge, event.attempt, event.created_at)


def _shares(counts: dict[str, int]) -> list[Share]:
    total, at, shares = sum(counts.values()), 0.0, []
    for status in _ORDER:
        if count := counts.get(status, 0):
            width = 100 * count / total
            shares.append(Share(status, _KINDS.get(status, "rest"), count, round(at, 3), round(width, 3)))
            at += width
    return shares
