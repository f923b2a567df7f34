"""A run's timeline: each visit of a stage or judge and each wait, read off its events, calls and judgements.

Order is that of the events' ids and the calls' attempts, never of their times, which may be equal.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db.models.fields.json import KT
from django.db.models.functions import Now

from generation.flows import FLOWS, flow
from generation.models import Call, Judgement, NodeEvent, Run, Status

State = Literal["running", "done", "failed", "lost", "stopped", "waiting", "waited"]
Key = tuple[str, int, int]
SHORTEST_WAIT = timedelta(seconds=1)  # a shorter one is the queue's, and no news


@dataclass
class Row:
    """One visit of a stage or judge, or one wait between two (`waiting` now, `waited` before).

    attempt: the cycle within the round, as events number it. lost: its worker ended without a word. reason: the
    code of the error it ended with, or that is waited for. verdict: what the judge found, a Judgement.Outcome;
    why: the code of what kept it from judging. unused: its answer was no judgement, and it was asked again.
    """

    node: str  # a stage, or a judge's kind; empty for a wait
    badge: str
    round: int
    attempt: int
    state: State
    began: datetime
    ended: datetime | None = None
    reason: str = ""
    verdict: str = ""
    why: str = ""
    unused: bool = False
    call: Call | None = None
    until: datetime | None = None  # of a wait: not before then
    completed: bool = False  # its end was told by the worker

    @property
    def key(self) -> Key:
        return self.node, self.round, self.attempt

    @property
    def is_wait(self) -> bool:
        return self.state in ("waiting", "waited")

    @property
    def is_open(self) -> bool:
        return self.state in ("running", "waiting")

    @property
    def is_unjudged(self) -> bool:
        """A judging that is over and has no verdict, or the one that there was none."""
        over = self.badge == "REVIEW" and self.state == "done"
        return self.verdict == Judgement.Outcome.UNAVAILABLE or (over and not self.verdict)

    def took(self, now: datetime) -> timedelta:
        """By the events' clock, until now where it goes on; never shorter than its call was."""
        length = max((self.ended or (now if self.is_open else self.began)) - self.began, timedelta())
        return max(length, timedelta(milliseconds=self.call.duration_ms)) if self.call else length


def label(flow_name: str, node: str) -> str:
    """A stage's own label; its name as words where its flow is gone, or a judge's kind is meant."""
    stage = flow(flow_name).stages.get(node) if flow_name in FLOWS else None
    return stage.label if stage else node.replace("_", " ").capitalize()


def read(run: Run) -> tuple[list[Row], int, datetime]:
    """The rows, the id of the newest event in them (0: none), and the database's time. Three queries."""
    events = list(NodeEvent.objects.filter(run=run).order_by("id").annotate(now=Now()))
    calls = Call.objects.filter(run=run).order_by("id").defer("system", "user", "request", "answer")
    judgements = Judgement.objects.filter(run=run).order_by("id").defer("result").annotate(why=KT("result__code"))
    now = events[-1].now if events else run.changed_at
    return rows(run, events, list(calls), list(judgements), now), events[-1].pk if events else 0, now


def rows(
    run: Run, events: Sequence[NodeEvent], calls: Sequence[Call], judgements: Sequence[Judgement], now: datetime
) -> list[Row]:
    """The timeline's rows in their order. All sequences are those of the run, each by id."""
    found = _visits(events)
    _give_calls(found, calls)
    for judgement in judgements:
        _give_verdict(found, judgement)
    _mark_unused(found)
    _close(found, run, now)
    waits = [row for row in found if row.state == "waited" and row.took(now) < SHORTEST_WAIT]
    return [row for row in found if row not in waits]


def _visits(events: Sequence[NodeEvent]) -> list[Row]:
    """Enters and completes paired, statuses that end a visit or begin a wait."""
    found: list[Row] = []
    for event in events:
        newest = found[-1] if found else None
        if event.kind == NodeEvent.Kind.NODE_COMPLETE:
            _complete(found, event)
            continue
        if newest is not None and newest.is_open:
            _break_off(newest, event)
        if event.kind == NodeEvent.Kind.NODE_ENTER:
            found.append(_row(event, "running", event.node))
        elif event.node == Status.QUEUED:
            found.append(_row(event, "waiting", reason=event.detail))
    return found


def _row(event: NodeEvent, state: State, node: str = "", reason: str = "") -> Row:
    return Row(node, event.badge, event.round, event.attempt, state, event.created_at, reason=reason)


def _complete(found: list[Row], event: NodeEvent) -> None:
    """The newest visit of its key has ended, even if it was given up as lost or cancelled before."""
    key = (event.node, event.round, event.attempt)
    row = next((row for row in reversed(found) if row.key == key), None)
    if row is not None:
        row.ended, row.reason, row.completed = event.created_at, event.detail, True
        row.state = "failed" if event.detail else "done"


def _break_off(row: Row, event: NodeEvent) -> None:
    """Something else happened before the visit was completed, or the wait is over."""
    row.ended = event.created_at
    if row.state == "waiting":
        row.state, row.until = "waited", None
        return
    stopped = event.kind == NodeEvent.Kind.STATUS and event.node == Status.STOPPED
    told = event.detail if event.kind == NodeEvent.Kind.STATUS else ""
    row.state, row.reason = ("stopped" if stopped else "failed" if told else "lost"), told


def _give_calls(found: Sequence[Row], calls: Sequence[Call]) -> None:
    """Calls to the visits that made them, in their order.

    A visit that was never completed has one only where more calls are stored than later visits need: then its
    worker died between storing the answer and telling so.
    """
    stored: dict[Key, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: call.attempt):
        stored[call.stage, call.round, call.cycle].append(call)
    visits: dict[Key, list[Row]] = defaultdict(list)
    for row in found:
        visits[row.key].append(row)
    for key, of_step in visits.items():
        left = stored[key]
        for at, row in enumerate(of_step):
            needed = sum(later.completed for later in of_step[at + 1 :])
            if left and (row.completed or len(left) > needed):
                _give_call(row, left.pop(0))


def _give_call(row: Row, call: Call) -> None:
    row.call = call
    if row.state in ("lost", "running"):
        row.ended, row.reason = call.created_at, (call.error or {}).get("code", "")
        row.state = "failed" if call.error else "done"


def _give_verdict(found: list[Row], judgement: Judgement) -> None:
    """To the last judging of its cycle; a judge that asked nobody gets a row of its own."""
    place = (judgement.round, judgement.cycle)
    row = next((row for row in reversed(found) if row.badge == "REVIEW" and place == row.key[1:]), None)
    if row is None:
        at = max((at + 1 for at, row in enumerate(found) if row.key[1:] <= place and not row.is_wait), default=0)
        row = Row(judgement.kind, "REVIEW", *place, "done", judgement.created_at, judgement.created_at)
        found.insert(at, row)
    row.verdict = judgement.outcome
    row.why = getattr(judgement, "why", None) or row.reason


def _mark_unused(found: Sequence[Row]) -> None:
    """Judgings that were over, and were asked for again within their cycle."""
    asked_again: set[Key] = set()
    for row in reversed(found):
        if row.badge == "REVIEW" and not row.is_wait:
            row.unused = row.state == "done" and row.key in asked_again
            asked_again.add(row.key)


def _close(found: Sequence[Row], run: Run, now: datetime) -> None:
    """What the last row means now that the run stands as it does."""
    if not found or not found[-1].is_open:
        return
    newest = found[-1]
    if newest.state == "waiting":
        newest.until = run.next_attempt_at
        newest.reason = str((run.error or {}).get("code", "")) or newest.reason
        if not run.is_in_progress:
            newest.state = "waited"
    elif not run.is_in_progress:
        newest.state = "stopped" if run.status == Status.STOPPED else "lost"
        newest.ended = run.finished_at
    elif run.lease_expires_at is not None and run.lease_expires_at < now:
        newest.state, newest.ended = "lost", now
