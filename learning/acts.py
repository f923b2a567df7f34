"""The history of one flow and subcategory as acts, and the trigger states that its runs were generated with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Q

from generation.models import Run, Subcategory
from learning.replay import Act, Said
from review.models import ReviewEvent

AT_ONCE = 2000  # rows
_COLUMNS = (
    "id", "run_id", "created_at", "decision", "information_present", "bad_format", "wrong_information",
    "wrong_physical_dimensions", "missing_spec",
)  # fmt: skip
# As `learning.window` reads: nothing of a run that still waits for another reviewer.
_OF = """FROM review_reviewevent e JOIN generation_run r ON r.id = e.run_id
CROSS JOIN LATERAL foldback_unsettled(r.status, r.revision, r.reviews_from) AS unsettled
WHERE r.flow = %(flow)s AND (unsettled IS NULL OR e.sequence < unsettled OR e.kind <> 'submitted')"""
# Where several people are asked, what they say of a round counts from the last of them on.
_AT = """CASE WHEN r.reviews_needed > 1
  THEN greatest(e.created_at,
    max(e.created_at) FILTER (WHERE e.kind = 'submitted') OVER (PARTITION BY e.run_id, e.round))
  ELSE e.created_at END AS at"""
_HERE = "AND (r.subcategory_id = %(subcategory)s OR e.run_id = ANY (%(moved)s::uuid[]))"
_ACTS = f"""
SELECT {", ".join(f"e.{name}" for name in _COLUMNS)}, r.guided_by, {_AT}, e.kind, e.source, e.undoes_id,
  e.corrections -> 'subcategory' ->> 'from' AS moved_from, e.corrections -> 'subcategory' ->> 'to' AS moved_to
{_OF} {_HERE} ORDER BY at, e.created_at, e.id
"""
_COUNT = f"SELECT count(*) {_OF} {_HERE}"
_MOVES = f"""
SELECT e.run_id, e.corrections -> 'subcategory' ->> 'from', e.corrections -> 'subcategory' ->> 'to'
{_OF} AND e.kind = 'submitted' AND e.corrections ? 'subcategory' ORDER BY e.created_at, e.id
"""


@dataclass(frozen=True)
class Moves:
    """Which runs of a flow reviewers took to another subcategory: where each began, and all places that it saw."""

    began: Mapping[UUID, str | None] = field(default_factory=dict)  # slugs
    saw: Mapping[str, set[UUID]] = field(default_factory=dict)


def moves(flow: str) -> Moves:
    """One walk over the flow's reviews, which are corrected so only now and then."""
    began: dict[UUID, str | None] = {}
    saw: dict[str, set[UUID]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_MOVES, {"flow": flow})
        for run_id, before, after in cursor.fetchall():
            began.setdefault(run_id, before)
            for slug in (before, after):
                saw.setdefault(slug, set()).add(run_id)
    return Moves(began, saw)


@dataclass(frozen=True)
class Scene:
    """One flow and subcategory, and the runs that came or went by a correction."""

    flow: str
    subcategory: Subcategory
    moves: Moves

    def count(self) -> int:
        """How many events there are to go through."""
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, self._bound)
            found: int = cursor.fetchone()[0]
            return found

    def acts(self) -> Iterator[Act]:
        """All that reached this subcategory, in the order of its times; read as it is asked for."""
        corrected: dict[int, str | None] = {}  # review → where its run was before
        met: set[UUID] = set()
        for row in self._rows():
            run_id, here = row["run_id"], None
            if run_id in self.moves.began and run_id not in met:
                met.add(run_id)
                yield Act(row["at"], run_id, here=self.moves.began[run_id] == self.subcategory.slug)
            if row["moved_to"] is not None:
                corrected[row["id"]] = row["moved_from"]
                here = row["moved_to"] == self.subcategory.slug
            elif row["kind"] == ReviewEvent.Kind.UNDONE and row["undoes_id"] in corrected:
                here = corrected[row["undoes_id"]] == self.subcategory.slug
            counts = row["kind"] == ReviewEvent.Kind.SUBMITTED and row["source"] == ReviewEvent.Source.PERSON
            yield Act(row["at"], run_id, row if counts else None, row["undoes_id"], here)

    def states(self) -> Iterator[Mapping[str, Any]]:
        """The trigger states that runs were generated with here, as they were stored."""
        here = Q(subcategory=self.subcategory) | Q(pk__in=self._moved)
        runs = Run.objects.filter(here, flow=self.flow, trigger_state__isnull=False).order_by()
        for state in runs.values_list("trigger_state", flat=True).iterator(AT_ONCE):
            basis = (state or {}).get("basis", {})
            if state and basis.get("subcategory", self.subcategory.pk) == self.subcategory.pk:
                yield state

    @property
    def _moved(self) -> list[UUID]:
        return list(self.moves.saw.get(self.subcategory.slug, ()))

    @property
    def _bound(self) -> dict[str, Any]:
        return {"flow": self.flow, "subcategory": self.subcategory.pk, "moved": self._moved}

    def _rows(self) -> Iterator[dict[str, Any]]:
        with connection.chunked_cursor() as cursor:
            cursor.execute(_ACTS, self._bound)
            names = [*_COLUMNS, "guided_by", "at", "kind", "source", "undoes_id", "moved_from", "moved_to"]
            while rows := cursor.fetchmany(AT_ONCE):
                yield from (dict(zip(names, row, strict=True)) for row in rows)


def said(ids: list[int]) -> dict[int, Said]:
    """These reviews, by id."""
    found = ReviewEvent.objects.filter(pk__in=ids).values(*_COLUMNS, guided_by=F("run__guided_by"))
    return {row["id"]: row for row in found}
