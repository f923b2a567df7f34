"""The queue's list: four views of runs, each a page by key with a constant number of queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from generation.errors import BadInput
from generation.flows import FLOWS, label_of
from generation.models import JudgeOutcome, Run, Status, Subcategory
from generation.reading import storable
from review.models import Claim, Decision, ReviewEvent, Tally
from review.models.event import ReviewEventQuerySet
from review.queue import Row as Waiting
from review.queue import waiting

PER_PAGE = 50
VIEWS = ("waiting", "progress", "failed", "reviewed")


@dataclass(frozen=True)
class Reason:
    """Why a run stands in this list: an icon, its colour, the words."""

    icon: str
    kind: str  # attention, failed, person, machine, passed
    text: str


@dataclass(frozen=True)
class Item:
    run: Run
    reason: Reason
    since: datetime
    person: User | None = None  # who holds it, or who reviewed it
    until: datetime | None = None
    mine: bool = False

    @property
    def is_held(self) -> bool:
        return self.person is not None and self.until is not None and not self.mine


@dataclass(frozen=True)
class Filters:
    view: str = "waiting"
    flow: str = ""
    subcategory: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Filters":
        view = given.get("view", "")
        return cls(
            view=view if view in VIEWS else "waiting",
            flow=storable(given.get("flow", "")[:40]),
            subcategory=storable(given.get("subcategory", "")[:100]),
            cursor=given.get("cursor", "")[:500],
        )

    def address(self, **changes: str) -> str:
        """The query string with something changed; the cursor never outlives a change."""
        wanted = {"view": self.view, "flow": self.flow, "subcategory": self.subcategory, "cursor": ""} | changes
        if wanted["view"] == "waiting":
            wanted["view"] = ""
        return "?" + urlencode({key: value for key, value in wanted.items() if value})


@dataclass(frozen=True)
class Choice:
    label: str
    address: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class Listing:
    """Everything that the queue page shows."""

    filters: Filters
    items: list[Item]
    next_address: str
    tabs: list[Choice]
    flows: list[Choice]
    shows_flow: bool  # more than one is in use
    subcategories: list[Choice]
    total: int
    held: int
    oldest: datetime | None
    subcategory_name: str

    @property
    def is_filtered(self) -> bool:
        return bool(self.filters.flow or self.filters.subcategory)


def listing(filters: Filters, user: User) -> Listing:
    items, cursor = _READERS[filters.view](filters, user)
    known = list(Subcategory.objects.order_by("name").values_list("slug", "name")[:500])
    counts, by_flow = _counts()
    in_use = {item.run.flow for item in items}.union(*by_flow.values())
    first = Run.objects.up_for_review().order_by("changed_at", "id").values_list("changed_at", flat=True).first()
    return Listing(
        filters=filters,
        items=items,
        next_address=filters.address(cursor=cursor) if cursor else "",
        tabs=[
            Choice(label, filters.address(view=view), view == filters.view, counts[view])
            for view, label in _view_labels().items()
        ],
        flows=_choices("flow", filters, [(name, label_of(name)) for name in FLOWS], by_flow.get(filters.view, {})),
        shows_flow=len(in_use) > 1,
        subcategories=_choices("subcategory", filters, known),
        total=counts["waiting"],
        held=Claim.objects.filter(expires_at__gt=Now()).count(),
        oldest=first,
        subcategory_name=dict(known).get(filters.subcategory, filters.subcategory),
    )


def _view_labels() -> dict[str, str]:
    names = (_("Up for review"), _("In progress"), _("Failed"), _("Reviewed today"))
    return dict(zip(VIEWS, names, strict=True))


def _counts() -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """How many per view, over all filters; and those of runs by flow."""
    found = Tally.objects.by_flow("waiting", "progress", "without_record")
    by_flow = {"waiting": found["waiting"], "progress": found["progress"], "failed": found["without_record"]}
    counts = {view: sum(counted.values()) for view, counted in by_flow.items()}
    return counts | {"reviewed": _today().count()}, by_flow


def _choices(
    name: str, filters: Filters, known: list[tuple[str, str]], counts: Mapping[str, int] | None = None
) -> list[Choice]:
    current = getattr(filters, name)
    return [
        Choice(_("any"), filters.address(**{name: ""}), not current),
        *(
            Choice(label, filters.address(**{name: key}), key == current, counts.get(key) if counts else None)
            for key, label in known
        ),
    ]


def _read_waiting(filters: Filters, user: User) -> tuple[list[Item], str]:
    page = waiting(
        flow=filters.flow,
        subcategory=filters.subcategory,
        cursor=filters.cursor or None,
        limit=PER_PAGE,
        viewer=user,
    )
    holders = User.objects.in_bulk({row.holder_id for row in page.rows if row.holder_id})
    return [_waiting(row, holders, user) for row in page.rows], page.next_cursor or ""


def _waiting(row: Waiting, holders: Mapping[int, User], user: User) -> Item:
    holder = holders.get(row.holder_id) if row.holder_id else None
    return Item(row.run, _reason(row), row.run.changed_at, holder, row.expires_at, holder == user)


def _reason(row: Waiting) -> Reason:
    why, text = row.why, row.why.parts()[0]
    if why.disagree:
        return Reason("i-alert", "attention", text)
    if why.reviews_done:
        return Reason("i-person", "person", text)
    if why.suspicion:
        return Reason("i-alert", "attention", text)
    if why.status == Status.FAILED:
        return Reason("i-cross", "failed", text)
    if why.judge_outcome in (JudgeOutcome.UNAVAILABLE, JudgeOutcome.SKIPPED):
        return Reason("i-question", "machine", text)
    if why.status == Status.NEEDS_HUMAN_REVIEW:
        return Reason("i-alert", "attention", text)
    return Reason("i-return", "person", text) if why.round > 1 else Reason("i-clock", "machine", text)


def _read_progress(filters: Filters, user: User) -> tuple[list[Item], str]:
    runs, cursor = _page(_narrowed(Run.objects.in_progress(), filters), filters.cursor, by="created_at")
    return [Item(run, Reason("i-machine", "machine", _made(run)), run.changed_at) for run in runs], cursor


def _made(run: Run) -> str:
    status = run.get_status_display().capitalize()
    return _("%(status)s, round %(round)d") % {"status": status, "round": run.round} if run.round > 1 else status


def _read_failed(filters: Filters, user: User) -> tuple[list[Item], str]:
    runs, cursor = _page(_narrowed(Run.objects.without_record(), filters), filters.cursor, by="changed_at")
    return [Item(run, _ending(run), run.changed_at) for run in runs], cursor


def _ending(run: Run) -> Reason:
    detail = str((run.error or {}).get("detail", "")) or run.get_status_display().capitalize()
    return (
        Reason("i-stop", "machine", detail)
        if run.status == Status.STOPPED
        else Reason("i-cross", "failed", detail)
    )


def _today() -> ReviewEventQuerySet:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return ReviewEvent.objects.standing().filter(created_at__gte=midnight)


def _read_reviewed(filters: Filters, user: User) -> tuple[list[Item], str]:
    events = (
        _today().visible_to(user).select_related("run__subcategory", "reviewer").order_by("-created_at", "-id")
    )
    if filters.flow:
        events = events.filter(run__flow=filters.flow)
    if filters.subcategory:
        events = events.filter(run__subcategory__slug=filters.subcategory)
    if filters.cursor:
        at, last = _read_cursor(filters.cursor)
        events = events.filter(Q(created_at__lt=at) | Q(id__lt=_number(last)), created_at__lte=at)
    found = list(events[: PER_PAGE + 1])
    items = [Item(event.run, _verdict(event), event.created_at, event.reviewer) for event in found[:PER_PAGE]]
    last_shown = found[PER_PAGE - 1] if len(found) > PER_PAGE else None
    return items, f"{last_shown.created_at.isoformat()}~{last_shown.pk}" if last_shown else ""


def _verdict(event: ReviewEvent) -> Reason:
    shown = {
        Decision.APPROVE: Reason("i-check", "passed", _("Approved")),
        Decision.REVISE: Reason("i-return", "person", _("Sent back")),
        Decision.REJECT: Reason("i-cross", "failed", _("Rejected")),
    }
    return shown[Decision(event.decision)]


def _narrowed(runs: "QuerySet[Run]", filters: Filters) -> "QuerySet[Run]":
    if filters.flow:
        runs = runs.filter(flow=filters.flow)
    if filters.subcategory:
        runs = runs.filter(subcategory__slug=filters.subcategory)
    return runs.select_related("subcategory").defer("source", "options", "metadata", "trigger_state")


def _page(runs: "QuerySet[Run]", cursor: str, *, by: str) -> tuple[list[Run], str]:
    """The newest by that time first, by key. The bound on the time alone lets an index begin there."""
    if cursor:
        at, last = _read_cursor(cursor)
        runs = runs.filter(Q(**{f"{by}__lt": at}) | Q(id__lt=_uuid(last)), **{f"{by}__lte": at})
    found = list(runs.order_by(f"-{by}", "-id")[: PER_PAGE + 1])
    if len(found) <= PER_PAGE:
        return found, ""
    shown = found[:PER_PAGE]
    return shown, f"{getattr(shown[-1], by).isoformat()}~{shown[-1].pk}"


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    at, _tilde, last = cursor.partition("~")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise BadInput.at("/cursor", _("Not a cursor of this list.")) from error
    if moment.tzinfo is None or not last:
        raise BadInput.at("/cursor", _("Not a cursor of this list."))
    return moment, last


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise BadInput.at("/cursor", _("Not a cursor of this list.")) from error


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise BadInput.at("/cursor", _("Not a cursor of this list.")) from error


_READERS: dict[str, Any] = {
    "waiting": _read_waiting,
    "progress": _read_progress,
    "failed": _read_failed,
    "reviewed": _read_reviewed,
}
