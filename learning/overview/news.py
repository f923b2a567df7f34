"""What changed since yesterday, as facts that the page puts into sentences. Newest first."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery
from django.db.models.fields.json import KT
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from generation.flows import label_of
from generation.models import JudgeOutcome, PromptMove, Run, Status, Subcategory
from generation.verdicts import ended
from learning.annotate import cause_of
from learning.models import Guidance, Switch, ThresholdSet
from learning.overview.fired import Recent
from review.models import ReviewEvent, ReviewForm
from review.people import name_of
from review.words import label

SHOWN = 12
# Why a run ended without passing, by the code of its error; others are told as they stand.
REASONS: dict[str, Promise] = {
    "": gettext_lazy("not passed by the judge"),
    "timeout": gettext_lazy("the provider did not answer in time"),
    "unreachable": gettext_lazy("the provider could not be reached"),
    "rate_limited": gettext_lazy("the provider refused so many calls"),
    "overloaded": gettext_lazy("the provider was overloaded"),
    "spend_cap": gettext_lazy("the day’s spend cap was reached"),
}


@dataclass(frozen=True)
class Piece:
    """One fact: its kind names the sentence (templates/learning/news/), `facts` fill it."""

    kind: str
    at: datetime
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def template(self) -> str:
        return f"learning/news/_{self.kind}.html"


def news(known: list[Recent]) -> list[Piece]:
    """Bounded by what happened in one day; ten queries."""
    since = timezone.now() - timedelta(days=1)
    found = [
        *_unwritten(),
        *_triggers(known, since),
        *_moves(since),
        *_texts(since),
        *_thresholds(since),
        *_switches(since),
        *_failures(since),
        *_left_out(since),
        *_reviews(since),
    ]
    return sorted(found, key=lambda piece: piece.at, reverse=True)[:SHOWN]


def _unwritten() -> Iterator[Piece]:
    """Reviews that stand but are not in the history yet: learning does not see them."""
    found = ReviewForm.objects.filter(state=ReviewForm.State.SUBMITTED, event__isnull=True).aggregate(
        count=Count("pk"), last=Max("submitted_at")
    )
    if found["count"]:
        yield Piece("unwritten", found["last"], {"count": found["count"]})


def _triggers(known: list[Recent], since: datetime) -> Iterator[Piece]:
    """Triggers now against those of the last run that was generated before: what both can be read off."""
    moved = [found for found in known if found.window.runs and found.window.runs[-1].reviewed_at >= since]
    before = _states(moved, since)
    for found in moved:
        state = before.get((found.flow, found.subcategory.pk))
        if state is None:
            continue
        for strip in found.strips:
            was_on = bool(state.get(strip.name, {}).get("fired"))
            if strip.on != was_on:
                last = max(run.reviewed_at for run in found.window.runs)
                yield Piece(
                    "trigger",
                    last,
                    {
                        "strip": strip,
                        "label": strip.label if strip.on else label(found.flow, strip.name),
                        "subcategory": found.subcategory,
                        "place": _place(found, several=len({one.flow for one in known}) > 1),
                        "flow": found.flow,
                        "reviewed": found.triggers.reviewed,
                    },
                )


def _place(found: Recent, *, several: bool) -> str:
    """The subcategory, and the flow where several are reviewed."""
    return f"{found.subcategory}, {label_of(found.flow)}" if several else str(found.subcategory)


def _states(found: list[Recent], since: datetime) -> dict[tuple[str, int], dict[str, Any]]:
    """The triggers as the newest run made before `since` found them, by flow and subcategory. A query per flow."""
    states: dict[tuple[str, int], dict[str, Any]] = {}
    for flow in {recent.flow for recent in found}:
        newest = Run.objects.filter(
            flow=flow, subcategory=OuterRef("pk"), trigger_state__isnull=False,
            created_at__lt=since, created_at__gte=since - timedelta(days=30),
        ).order_by("-created_at", "-id")  # fmt: skip
        rows = (
            Subcategory.objects.filter(pk__in=[recent.subcategory.pk for recent in found if recent.flow == flow])
            .order_by()
            .annotate(state=Subquery(newest.values("trigger_state")[:1]))
        )
        states |= {(flow, pk): state["triggers"] for pk, state in rows.values_list("pk", "state") if state}
    return states


def _moves(since: datetime) -> Iterator[Piece]:
    moves = PromptMove.objects.filter(at__gte=since, by__isnull=False).select_related(
        "prompt", "from_version", "to_version", "by"
    )
    for move in moves[:SHOWN]:
        yield Piece("move", move.at, {"move": move})


def _texts(since: datetime) -> Iterator[Piece]:
    rows = Guidance.objects.filter(changed_at__gte=since, changed_by__isnull=False).select_related("changed_by")
    for row in rows[:SHOWN]:
        signal, _dot, stage = row.key.partition(".")
        yield Piece("text", row.changed_at, {"row": row, "signal": cause_of(row.flow, signal), "stage": stage})


def _thresholds(since: datetime) -> Iterator[Piece]:
    rows = ThresholdSet.objects.filter(at__gte=since, by__isnull=False).select_related(
        "category", "subcategory", "by"
    )
    for row in rows[:SHOWN]:
        yield Piece(
            "threshold", row.at, {"row": row, "place": f"{row.subcategory or row.category}, {label_of(row.flow)}"}
        )


def _switches(since: datetime) -> Iterator[Piece]:
    for switch in Switch.objects.filter(at__gte=since).select_related("subcategory", "by")[:SHOWN]:
        yield Piece("switch", switch.at, {"switch": switch})


def _failures(since: datetime) -> Iterator[Piece]:
    """Runs that ended without passing, by reason."""
    waiting, over = (  # each has an index by that time, which a condition on the status would spoil
        list(
            runs.filter(changed_at__gte=since)
            .annotate(code=KT("error__code"), cause=KT("error__cause"))
            .annotate(unjudged=Q(judge_outcome=JudgeOutcome.UNAVAILABLE))
            .order_by()
            .values_list("shown_status", "unjudged", "code", "cause")
            .annotate(Count("pk"), Min("changed_at"), Max("changed_at"))
        )
        for runs in (Run.objects.up_for_review(), Run.objects.without_record())
    )
    rows = [row for row in waiting + over if row[0] in (Status.FAILED, Status.NEEDS_HUMAN_REVIEW)]
    for (status, unjudged, code), same in groupby(sorted(rows, key=_why), _why):
        counts, firsts, lasts = list(zip(*same, strict=True))[4:]
        facts = {
            "count": sum(counts),
            "first": min(firsts),
            "last": max(lasts),
            "reason": _unjudged(code) if unjudged else str(REASONS.get(code) or code.replace("_", " ")),
            "waits": status == Status.NEEDS_HUMAN_REVIEW,
        }
        yield Piece("failures", facts["last"], facts)


def _why(row: tuple[Any, ...]) -> tuple[str, bool, str]:
    """What tells the reasons apart; of a judge that could not judge what kept it from judging."""
    status, unjudged, code, cause = row[:4]
    return status, unjudged, (unjudged and cause) or code or ""


def _unjudged(code: str) -> str:
    why = ended({"code": code}, unjudged=True)
    return why[:1].lower() + why[1:]


def _left_out(since: datetime) -> Iterator[Piece]:
    events = ReviewEvent.objects.settled().filter(kind=ReviewEvent.Kind.LEFT_OUT, created_at__gte=since)
    for event in events.select_related("run", "reviewer").order_by("-created_at")[:SHOWN]:
        yield Piece("left_out", event.created_at, {"event": event})


def _reviews(since: datetime) -> Iterator[Piece]:
    """One sentence for all reviewers, the busiest first."""
    rows = (
        ReviewEvent.objects.standing()
        .settled()
        .filter(source=ReviewEvent.Source.PERSON, created_at__gte=since)
        .order_by()
        .values("reviewer")
        .annotate(count=Count("pk"), last=Max("created_at"))
        .order_by("-count", "reviewer")[:SHOWN]
    )
    people = User.objects.in_bulk([row["reviewer"] for row in rows])
    if rows:
        by = [f"{name_of(people[row['reviewer']])} {row['count']}" for row in rows]
        total = sum(row["count"] for row in rows)
        yield Piece("reviews", max(row["last"] for row in rows), {"count": total, "by": by})
