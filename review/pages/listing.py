"""The queue's list: views of runs, each a page by key with a constant number of queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.blind import without_judge
from generation.errors import BadInput
from generation.models import JudgeOutcome, Run, Status
from review.filters import VIEWS, Filters
from review.finding import Count, Finder, Found
from review.models import Assignment, Claim, Decision, Placement, ReviewEvent, Tally
from review.models.event import ReviewEventQuerySet
from review.pages.chips import Chips, Choice, chips
from review.pages.today import midnight
from review.people import name_of
from review.reasons import Why

PER_PAGE = 50


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
    person: User | None = None  # who holds it, whom it is assigned to, or who reviewed it
    until: datetime | None = None
    mine: bool = False
    assigned: bool = False

    @property
    def is_held(self) -> bool:
        return self.person is not None and self.until is not None and not self.mine


@dataclass(frozen=True)
class Listing:
    """Everything that the queue page shows."""

    filters: Filters
    items: list[Item]
    next_address: str
    looked_at: int  # runs that this page looked at, where that were not all and it is not full
    tabs: list[Choice]
    chips: Chips
    shows_flow: bool  # more than one is in use
    matching: Count | None  # of this view and its filters
    total: int
    held: int
    oldest: datetime | None

    @property
    def is_filtered(self) -> bool:
        return any(self.filters.set())


def listing(filters: Filters, user: User) -> Listing:
    finder = None if filters.view == "reviewed" else Finder(filters, user)
    if finder is None:
        items, cursor = _read_reviewed(filters, user)
        looked_at, matching = 0, None
    else:
        found = finder.page(PER_PAGE, filters.cursor)
        items, cursor, looked_at = _items(found, filters, user), found.next_cursor, found.looked_at
        matching = finder.count() if any(filters.set()) else None
    counts, by_flow = _counts(user)
    in_use = {item.run.flow for item in items}.union(*(of for view, of in by_flow.items() if view != "all"))
    first = Run.objects.up_for_review().order_by("changed_at", "id").values_list("changed_at", flat=True).first()
    return Listing(
        filters=filters,
        items=items,
        next_address=filters.address(cursor=cursor) if cursor else "",
        looked_at=looked_at,
        tabs=[
            Choice(label, filters.address(view=view), view == filters.view, counts.get(view))
            for view, label in _view_labels().items()
        ],
        chips=chips(filters, user, by_flow.get(filters.view, {})),
        shows_flow=len(in_use) > 1,
        matching=matching,
        total=counts["waiting"],
        held=Claim.objects.filter(expires_at__gt=Now()).count(),
        oldest=first,
    )


def _view_labels() -> dict[str, str]:
    names = (_("Up for review"), _("Set aside"), _("In progress"), _("Failed"), _("Reviewed today"), _("All"))
    return dict(zip(VIEWS, names, strict=True))


def _counts(user: User) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """How many per view, over all filters; and those of runs by flow."""
    every = [f"is {status}" for status in Status.values]
    found = Tally.objects.by_flow("waiting", "set_aside", "progress", "without_record", *every)
    by_flow = {"waiting": found["waiting"], "progress": found["progress"], "failed": found["without_record"]}
    by_flow["aside"] = found["set_aside"]
    by_flow["all"] = {}
    for name in every:
        for flow, count in found[name].items():
            by_flow["all"][flow] = by_flow["all"].get(flow, 0) + count
    counts = {view: sum(counted.values()) for view, counted in by_flow.items()}
    return counts | {"reviewed": _today(user).count()}, by_flow


def _items(found: Found, filters: Filters, user: User) -> list[Item]:
    """The runs in their order, each with why it stands here and who has it."""
    runs = Run.objects.select_related("subcategory").defer(
        "source", "options", "metadata", "trigger_state", "first_trigger_state"
    )
    by_id = runs.in_bulk(found.ids)
    having = _having(found.ids)
    placed = _placed(found.ids) if filters.view == "aside" else {}
    items = []
    for run_id in found.ids:
        if (run := by_id.get(run_id)) is None:
            continue
        person, until, assigned = having.get(run_id, (None, None, False))
        if run_id in placed:
            person = placed[run_id].person
        since = run.created_at if filters.view == "all" else run.changed_at
        run = without_judge(run) if run.hides_judge else run
        reason = _reason(run, placed.get(run_id))
        items.append(Item(run, reason, since, person, until, until is not None and person == user, assigned))
    return items


def _having(ids: Iterable[UUID]) -> dict[UUID, tuple[User | None, datetime | None, bool]]:
    """Who has each of these, until when, and whether it is only assigned to them."""
    kept = Assignment.objects.filter(run__in=ids, until__gt=Now()).select_related("person")
    claims = Claim.objects.filter(run__in=ids, expires_at__gt=Now()).select_related("reviewer")
    having: dict[UUID, tuple[User | None, datetime | None, bool]] = {
        one.run_id: (one.person, one.until, True) for one in kept
    }
    return having | {claim.run_id: (claim.reviewer, claim.expires_at, False) for claim in claims}


def _placed(ids: Iterable[UUID]) -> dict[UUID, Placement]:
    placed = (
        Placement.objects.filter(run__in=ids).order_by("run_id", "-id").distinct("run_id").select_related("person")
    )
    return {one.run_id: one for one in placed}


def _reason(run: Run, placed: Placement | None) -> Reason:
    if placed is not None:
        who = name_of(placed.person)
        return Reason("i-stop", "person", placed.why or _("Set aside by %(name)s") % {"name": who})
    if run.is_in_progress:
        return Reason("i-machine", "machine", _made(run))
    if run.is_decided:
        return _verdict(str((run.latest_review or {}).get("decision", "")), run)
    return _waits(run) if run.has_record_to_review else _ending(run)


def _waits(run: Run) -> Reason:
    why = Why.of(run)
    text = why.parts()[0]
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


def _made(run: Run) -> str:
    status = run.get_status_display().capitalize()
    return _("%(status)s, round %(round)d") % {"status": status, "round": run.round} if run.round > 1 else status


def _ending(run: Run) -> Reason:
    detail = str((run.error or {}).get("detail", "")) or run.get_status_display().capitalize()
    return (
        Reason("i-stop", "machine", detail)
        if run.status == Status.STOPPED
        else Reason("i-cross", "failed", detail)
    )


def _verdict(decision: str, run: Run) -> Reason:
    shown = {
        Decision.APPROVE: Reason("i-check", "passed", _("Approved")),
        Decision.REVISE: Reason("i-return", "person", _("Sent back")),
        Decision.REJECT: Reason("i-cross", "failed", _("Rejected")),
    }
    by_status = Decision.APPROVE if run.status == Status.APPROVED else Decision.REJECT
    return shown[Decision(decision) if decision in Decision.values else by_status]


def _today(user: User) -> ReviewEventQuerySet:
    return ReviewEvent.objects.standing().visible_to(user).filter(created_at__gte=midnight())


def _read_reviewed(filters: Filters, user: User) -> tuple[list[Item], str]:
    events = _today(user).select_related("run__subcategory", "reviewer").order_by("-created_at", "-id")
    if narrowing := Finder(filters.without("reviewer"), user, view="all").everything:
        events = events.filter(run__in=Run.objects.filter(narrowing))
    if filters.reviewer:
        events = events.filter(reviewer__username=_name(filters.reviewer, user))
    if filters.cursor:
        at, last = _read_cursor(filters.cursor)
        events = events.filter(Q(created_at__lt=at) | Q(id__lt=last), created_at__lte=at)
    found = list(events[: PER_PAGE + 1])
    items = [
        Item(event.run, _verdict(event.decision, event.run), event.created_at, event.reviewer)
        for event in found[:PER_PAGE]
    ]
    last_shown = found[PER_PAGE - 1] if len(found) > PER_PAGE else None
    return items, f"{last_shown.created_at.isoformat()}~{last_shown.pk}" if last_shown else ""


def _name(name: str, user: User) -> str:
    return user.username if name == "me" else name


def _read_cursor(cursor: str) -> tuple[datetime, int]:
    at, _tilde, last = cursor.partition("~")
    try:
        moment, number = datetime.fromisoformat(at), int(last)
    except ValueError as error:
        raise BadInput.at("/cursor", _("Not a cursor of this list.")) from error
    if moment.tzinfo is None:
        raise BadInput.at("/cursor", _("Not a cursor of this list."))
    return moment, number
