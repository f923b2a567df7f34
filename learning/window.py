"""The window: the ten runs of a flow and subcategory that a person reviewed last, read from their events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import connection

from generation.clock import told
from learning.names import Synonyms, key_of
from learning.policies import WINDOW, LookBack, policy
from learning.rules import Own, Rules, rules
from review.normalise import to_bool, to_names

log = structlog.get_logger(__name__)

SIZE = 10
# What a run can raise. Having too little is raised by a no, everything else by a yes.
RAISED_BY = {
    "bad_format": ("bad_format", True),
    "wrong_information": ("wrong_information", True),
    "wrong_physical_dimensions": ("wrong_physical_dimensions", True),
    "information_present_low": ("information_present", False),
    "information_present": ("information_present", True),
}
_WALK = """
    SELECT id, subcategory_id, title, last_reviewed_at, last_review_event_id, guided_by,
      foldback_unsettled(status, revision, reviews_from) AS unsettled
    FROM generation_run
    WHERE flow = %(flow)s AND subcategory_id = subcategory.id AND last_review_event_id IS NOT NULL
"""
_ORDER = "ORDER BY last_reviewed_at DESC, last_review_event_id DESC"
# Of each subcategory the runs that a person reviewed last, one short walk on the index `run_window` for each, and
# all their events, also those that take others back. An array is looked up as a whole: each page is read once.
_WITH_EVENTS = """
WITH run AS MATERIALIZED (
  SELECT newest.* FROM unnest(%(subcategories)s::bigint[]) AS subcategory (id) CROSS JOIN LATERAL (WALKS) AS newest
), event AS MATERIALIZED (
  SELECT event.* FROM review_reviewevent AS event JOIN run ON run.id = event.run_id
  WHERE run_id = ANY (ARRAY(SELECT id FROM run))
    AND (run.unsettled IS NULL OR event.sequence < run.unsettled OR event.kind <> 'submitted')
)
"""
NEWEST = _WITH_EVENTS.replace("WALKS", f"{_WALK} {_ORDER} LIMIT %(most)s")
# And those whose first round carried no guidance of a window, which the index `run_window_unguided` has apart.
_WITH_UNGUIDED = _WITH_EVENTS.replace(
    "WALKS",
    f"""({_WALK} {_ORDER} LIMIT %(most)s)
    UNION
    ({_WALK} AND guided_by = '{{}}' {_ORDER} LIMIT %(unguided)s)""",
)
COLUMNS = """run.subcategory_id, run.id AS run_id, run.title, run.last_reviewed_at, run.guided_by, event.id,
  event.created_at, event.decision, event.information_present, event.bad_format, event.wrong_information,
  event.wrong_physical_dimensions, event.missing_spec"""
# `ReviewEvent.objects.counting()` of those runs. In SQL, since every prompt asks: the ORM took longer to
# build it than the database to answer.
COUNTING = """
WHERE event.kind = 'submitted' AND event.source = 'person'
  AND event.id <> ALL (ARRAY(SELECT undoes_id FROM event WHERE undoes_id IS NOT NULL))
"""
ORDERED = "ORDER BY run.last_reviewed_at, run.last_review_event_id, event.created_at, event.id"
_EVENTS = f"""
SELECT {COLUMNS}, reviewer.username
FROM run JOIN event ON event.run_id = run.id
LEFT JOIN auth_user AS reviewer ON reviewer.id = event.reviewer_id
{COUNTING}
{ORDERED}
"""  # noqa: S608 - joined of the constants above, values are bound


class Unreadable(ValueError):
    """A stored review whose content cannot be what a review holds."""


@dataclass(frozen=True)
class Missing:
    """A field that reviewers of one run missed: its key, how they wrote it, and their events."""

    key: str
    names: tuple[str, ...]
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class WindowRun:
    """One reviewed run, all its counting reviews taken together.

    flags: True where any review raised it, False where one only said the opposite, None where none spoke.
    evidence: per flag, the ids of the events that raised it. events: all of them, oldest first.
    guided: the triggers whose guidance its first round was made with; of a missing field, trigger and key.
    """

    run_id: UUID
    title: str
    reviewed_at: datetime
    decision: str  # of the first review
    last_decision: str
    reviewer: str  # of the last review
    events: tuple[int, ...] = ()
    flags: Mapping[str, bool | None] = field(default_factory=dict)
    evidence: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()
    unreadable: int = 0  # events that count with no signal because they could not be read
    guided: frozenset[str] = frozenset()

    def raised(self, flag: str) -> bool:
        return self.flags.get(flag) is True

    def as_json(self) -> dict[str, Any]:
        """One of `runs` in the answer of GET /subcategories/{slug}/triggers."""
        return {
            "id": str(self.run_id),
            "reviewed_at": told(self.reviewed_at),
            "decision": self.decision,
            "last_decision": self.last_decision,
            "reviewer": self.reviewer,
            "signals": dict(self.flags),
            "missing_spec": [missing.names[0] for missing in self.missing],
            "evidence": {flag: list(ids) for flag, ids in self.evidence.items() if ids},
            "events": list(self.events),
        }


@dataclass(frozen=True)
class Loan:
    """What a thin subcategory borrows from the others of its category. rates: trigger, or trigger and field's key,
    → how many unguided runs raised it there, of how many."""

    lender: str = ""
    rates: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def of(self, name: str) -> tuple[int, int]:
        return self.rates.get(name, (0, 0))

    def as_json(self) -> dict[str, Any]:
        return {"lender": self.lender, "rates": {name: list(rate) for name, rate in self.rates.items()}}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Loan":
        return cls(found["lender"], {name: (raised, of) for name, (raised, of) in found["rates"].items()})


@dataclass(frozen=True)
class Window:
    """At most ten runs of one flow, oldest first, with what it is read by: the synonyms that its names of fields
    were merged by, up to the change `mark`, the thresholds that its subcategory has for itself, and the policy.

    past: all runs that the policy looks at, oldest first, the ten among them; loan: what it borrows.
    """

    runs: tuple[WindowRun, ...] = ()
    synonyms: Synonyms = field(default_factory=dict)
    flow: str = "item"
    thresholds: Own = field(default_factory=Own)
    mark: int = 0
    subcategory_id: int | None = None
    policy: str = WINDOW
    past: tuple[WindowRun, ...] = ()
    loan: Loan = field(default_factory=Loan)

    @property
    def reviewed(self) -> int:
        return len(self.runs)

    def basis(self) -> dict[str, Any]:
        """What its triggers come from, as JSON: enough to find exactly the same ones again for ever.

        events: per run, oldest first, its reviews that counted. thresholds: ids of the sets in force. synonyms:
        the newest `ControlChange` of merged names. policy: of `learning.policies`. loan: what was borrowed, as
        numbers. All that is named is append-only.
        """
        return {
            "policy": self.policy,
            "subcategory": self.subcategory_id,
            "events": [list(run.events) for run in self.past or self.runs],
            "thresholds": list(self.thresholds.sets),
            "synonyms": self.mark,
        } | ({"loan": self.loan.as_json()} if self.loan.rates else {})

    def over(self, past: Sequence[WindowRun]) -> "Window":
        """The same over other runs: all that the policy looks at, oldest first."""
        return replace(self, runs=tuple(past[-SIZE:]), past=tuple(past))


def window(flow: str, subcategory_id: int | None, known: Rules | None = None) -> Window:
    """The window of one subcategory; empty where there is none. One query however long the history,
    and one for the rules where the caller has not read them.
    """
    if subcategory_id is None:
        return Window(flow=flow)
    return windows(flow, [subcategory_id], known)[subcategory_id]


def windows(flow: str, subcategory_ids: Iterable[int], known: Rules | None = None) -> dict[int, Window]:
    """The windows of many subcategories, for the price of one; and one query more where some may borrow."""
    ids = list(subcategory_ids)
    read = rules(flow, ids) if known is None else known
    by = policy(read.policy)
    found = read_runs(flow, ids, read.synonyms, by.look_back)
    thin = [pk for pk in ids if len(found[pk]) < by.look_back.newest]
    lent = by.loans(flow, thin, read.synonyms) if by.loans and thin else {}
    return {
        pk: Window(
            (), read.synonyms, flow, read.of(pk), read.mark, pk, read.policy, loan=lent.get(pk, Loan())
        ).over(found[pk])
        for pk in ids
    }


def read_runs(
    flow: str, subcategory_ids: list[int], known: Synonyms, look_back: LookBack
) -> dict[int, list[WindowRun]]:
    """The runs of each subcategory that so far a look back finds, oldest first. One query."""
    runs: dict[int, list[WindowRun]] = {subcategory_id: [] for subcategory_id in subcategory_ids}
    for rows in _events(flow, subcategory_ids, look_back).values():
        runs[rows[0]["subcategory_id"]].append(read_run(rows, known))
    return runs


def _events(flow: str, subcategory_ids: list[int], look_back: LookBack) -> dict[UUID, list[Mapping[str, Any]]]:
    """The counting events of these runs, which stand in the order in which they were reviewed last.
    Oldest first: by their time, since the history may be written late."""
    events: dict[UUID, list[Mapping[str, Any]]] = {}
    most: dict[str, Any] = {"most": look_back.newest, "unguided": look_back.unguided}
    walk = _WITH_UNGUIDED if look_back.unguided else NEWEST
    with connection.cursor() as cursor:
        cursor.execute(walk + _EVENTS, {"flow": flow, "subcategories": subcategory_ids} | most)
        names = [column.name for column in cursor.description]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            events.setdefault(row["run_id"], []).append(row)
    return events


def read_signals(row: Mapping[str, Any]) -> tuple[dict[str, bool | None], list[str]]:
    """The booleans and names of one stored review; Unreadable where it holds what no review can hold."""
    names = row["missing_spec"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Unreadable("missing_spec is no list of names")
    return {signal: to_bool(row[signal]) for signal, _ in RAISED_BY.values()}, to_names(names)


def read_run(rows: list[Mapping[str, Any]], known: Synonyms) -> WindowRun:
    """All counting reviews of one run, oldest first, taken together."""
    raised: dict[str, list[int]] = {flag: [] for flag in RAISED_BY}
    spoke: set[str] = set()
    missing: dict[str, tuple[list[str], list[int]]] = {}
    unreadable = 0
    for row in rows:
        try:
            signals, names = read_signals(row)
        except Exception as error:  # degrade-gracefully point: one bad event never breaks a window
            unreadable += 1
            log.warning("review_event_unreadable", review_event=row["id"], error=type(error).__name__)
            continue
        for flag, (signal, by) in RAISED_BY.items():
            if signals[signal] is not None:
                spoke.add(flag)
            if signals[signal] is by:
                raised[flag].append(row["id"])
        for name in names:
            spellings, ids = missing.setdefault(key_of(name, known), ([], []))
            spellings.append(name)
            ids.append(row["id"])
    first, last = rows[0], rows[-1]
    return WindowRun(
        run_id=first["run_id"],
        title=first["title"],
        reviewed_at=first["last_reviewed_at"] or last["created_at"],
        decision=first["decision"],
        last_decision=last["decision"],
        reviewer=last["username"] or "",
        events=tuple(row["id"] for row in rows),
        flags={flag: bool(ids) if flag in spoke else None for flag, ids in raised.items()}
        | {"missing_spec": bool(missing) or None},
        evidence={flag: tuple(ids) for flag, ids in raised.items()}
        | {"missing_spec": tuple(sorted({i for _, ids in missing.values() for i in ids}))},
        missing=tuple(
            Missing(key, tuple(dict.fromkeys(spellings)), tuple(dict.fromkeys(ids)))
            for key, (spellings, ids) in missing.items()
        ),
        unreadable=unreadable,
        guided=guided(first.get("guided_by") or (), known),
    )


def guided(stored: Iterable[str], known: Synonyms) -> frozenset[str]:
    """What a run was guided by, as it was stored with it, with the names of fields folded."""
    split = (name.partition(":") for name in stored)
    return frozenset(f"{trigger}:{key_of(field, known)}" if colon else trigger for trigger, colon, field in split)
