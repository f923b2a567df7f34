"""The window: the ten runs of a flow and subcategory that a person reviewed last, read from their events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import connection

from learning.names import Synonyms, key_of, synonyms
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
# Of each subcategory the runs that a person reviewed last, one short walk on the index `run_window` for each, and
# all their events, also those that take others back. An array is looked up as a whole: each page is read once.
NEWEST = """
WITH run AS MATERIALIZED (
  SELECT newest.* FROM unnest(%(subcategories)s::bigint[]) AS subcategory (id) CROSS JOIN LATERAL (
    SELECT id, subcategory_id, title, last_reviewed_at, last_review_event_id FROM generation_run
    WHERE flow = %(flow)s AND subcategory_id = subcategory.id AND last_review_event_id IS NOT NULL
    ORDER BY last_reviewed_at DESC, last_review_event_id DESC LIMIT %(most)s
  ) AS newest
), event AS MATERIALIZED (
  SELECT * FROM review_reviewevent WHERE run_id = ANY (ARRAY(SELECT id FROM run))
)
"""
# `ReviewEvent.objects.counting()` of those runs. In SQL, since every prompt asks: the ORM took longer to
# build it than the database to answer.
_EVENTS = f"""
{NEWEST}
SELECT run.subcategory_id, run.id AS run_id, run.title, run.last_reviewed_at, event.id, event.created_at,
  event.decision, event.information_present, event.bad_format, event.wrong_information,
  event.wrong_physical_dimensions, event.missing_spec, reviewer.username
FROM run JOIN event ON event.run_id = run.id
LEFT JOIN auth_user AS reviewer ON reviewer.id = event.reviewer_id
WHERE event.kind = 'submitted' AND event.source = 'person'
  AND event.id <> ALL (ARRAY(SELECT undoes_id FROM event WHERE undoes_id IS NOT NULL))
ORDER BY run.last_reviewed_at, run.last_review_event_id, event.created_at, event.id
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

    def raised(self, flag: str) -> bool:
        return self.flags.get(flag) is True

    def as_json(self) -> dict[str, Any]:
        """One of `runs` in the answer of GET /subcategories/{slug}/triggers."""
        return {
            "id": str(self.run_id),
            "reviewed_at": self.reviewed_at.isoformat().replace("+00:00", "Z"),
            "decision": self.decision,
            "last_decision": self.last_decision,
            "reviewer": self.reviewer,
            "signals": dict(self.flags),
            "missing_spec": [missing.names[0] for missing in self.missing],
            "evidence": {flag: list(ids) for flag, ids in self.evidence.items() if ids},
            "events": list(self.events),
        }


@dataclass(frozen=True)
class Window:
    """At most ten runs of one flow, oldest first, with the synonyms that its names of fields were merged by."""

    runs: tuple[WindowRun, ...] = ()
    synonyms: Synonyms = field(default_factory=dict)
    flow: str = "item"

    @property
    def reviewed(self) -> int:
        return len(self.runs)


def window(flow: str, subcategory_id: int | None, known: Synonyms | None = None) -> Window:
    """The window of one subcategory; empty where there is none. One query however long the history,
    and one for the synonyms where the caller has not read them.
    """
    if subcategory_id is None:
        return Window(flow=flow)
    return windows(flow, [subcategory_id], known)[subcategory_id]


def windows(flow: str, subcategory_ids: Iterable[int], known: Synonyms | None = None) -> dict[int, Window]:
    """The windows of many subcategories, for the price of one."""
    merged, ids = synonyms(flow) if known is None else known, list(subcategory_ids)
    runs: dict[int, list[WindowRun]] = {subcategory_id: [] for subcategory_id in ids}
    for rows in _events(flow, ids).values():
        runs[rows[0]["subcategory_id"]].append(read_run(rows, merged))
    return {subcategory_id: Window(tuple(found), merged, flow) for subcategory_id, found in runs.items()}


def _events(flow: str, subcategory_ids: list[int]) -> dict[UUID, list[Mapping[str, Any]]]:
    """The counting events of each window's runs, which stand in the order in which they were reviewed last.
    Oldest first: by their time, since the history may be written late."""
    events: dict[UUID, list[Mapping[str, Any]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, {"flow": flow, "subcategories": subcategory_ids, "most": SIZE})
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
    )
