"""What reviewers said lately, and what the prompts had told before: read by index, a bounded number of runs."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Sum

from generation.models import Injection
from learning.influence import Line
from learning.names import Synonyms, key_of
from learning.resolver import LABELS
from learning.studio.proposals.rules import AGAIN, LONG, LONGEST_KEY, MISSING, Homes, Lately, Reviewed
from learning.window import NEWEST, SIZE, Window, read_run, windows
from review.models import Tally

# Runs per subcategory. Twenty windows of ten need 29; guidance that switches itself off is sent to about half of
# the runs (docs/learning.md), so that ten which were told something are among forty.
RUNS = max(LONG + SIZE - 1, 40)
AT_ONCE = 50  # subcategories in one statement
EVENTS = f"""
{NEWEST}
SELECT run.subcategory_id, run.id AS run_id, run.title, run.last_reviewed_at, run.guided_by, event.id,
  event.round, event.created_at, event.decision, event.information_present, event.bad_format,
  event.wrong_information, event.wrong_physical_dimensions, event.missing_spec, '' AS username
FROM run JOIN event ON event.run_id = run.id
WHERE event.kind = 'submitted' AND event.source = 'person'
  AND event.id <> ALL (ARRAY(SELECT undoes_id FROM event WHERE undoes_id IS NOT NULL))
ORDER BY run.last_reviewed_at, run.last_review_event_id, event.created_at, event.id
"""  # noqa: S608 - joined of the constant above, values are bound
NAMES = re.compile(rf'<quote-([0-9a-f]+) of="{re.escape(LABELS["names"])}">\n(.*?)\n</quote-\1>', re.DOTALL)


def subcategories() -> Iterator[tuple[str, list[int]]]:
    """Each flow with the subcategories that were reviewed often enough for any rule, so many at once."""
    counted = Tally.objects.filter(what="runs", day__isnull=True)
    often = counted.values("flow", "subcategory_id").annotate(runs=Sum("change")).filter(runs__gte=AGAIN)
    by_flow: dict[str, list[int]] = {}
    for flow, subcategory_id in often.order_by("flow", "subcategory_id").values_list("flow", "subcategory_id"):
        if subcategory_id is not None:
            by_flow.setdefault(flow, []).append(subcategory_id)
    yield from by_flow.items()


def lately(flow: str, subcategory_ids: list[int], known: Homes) -> Iterator[Lately]:
    """The last reviewed runs of each. Three statements, and one for the rules, per fifty subcategories."""
    for start in range(0, len(subcategory_ids), AT_ONCE):
        ids = subcategory_ids[start : start + AT_ONCE]
        read_by, rows = windows(flow, ids), _events(flow, ids)
        told = _told(rows, known.values())
        runs: dict[int, list[Reviewed]] = {subcategory_id: [] for subcategory_id in ids}
        for run_id, events in rows.items():
            subcategory_id = events[0]["subcategory_id"]
            rules = read_by[subcategory_id]
            runs[subcategory_id].append(_reviewed(events, told.get(run_id, []), rules, known))
        yield from (Lately(one, tuple(found), read_by[one]) for one, found in runs.items())


def _events(flow: str, subcategory_ids: list[int]) -> dict[UUID, list[Mapping[str, Any]]]:
    events: dict[UUID, list[Mapping[str, Any]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(EVENTS, {"flow": flow, "subcategories": subcategory_ids, "most": RUNS})
        names = [column.name for column in cursor.description]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            events.setdefault(row["run_id"], []).append(row)
    return events


Told = tuple[int, str, str]  # the round, the guidance's key, its text as sent


def _told(run_ids: Iterable[UUID], lines: Iterable[Line]) -> dict[UUID, list[Told]]:
    """What answered calls of these runs held of these lines."""
    sent = Injection.objects.filter(
        call__run__in=list(run_ids), call__error__isnull=True, guidance_key__in=[line.key for line in lines]
    )
    told: dict[UUID, list[Told]] = {}
    rows = sent.order_by("call__round").values_list("call__run_id", "call__round", "guidance_key", "text")
    for run_id, round, key, text in rows:
        told.setdefault(run_id, []).append((round, key, text))
    return told


def _reviewed(events: list[Mapping[str, Any]], told: list[Told], read_by: Window, known: Homes) -> Reviewed:
    sent: dict[str, int] = {}
    asked: dict[str, int] = {}
    for round, key, text in told:
        sent.setdefault(key, round)
        if MISSING in known and key == known[MISSING].key:
            for field in asked_for(text, read_by.synonyms):
                asked.setdefault(field, round)
    said = {event["id"]: (event["round"], event["created_at"]) for event in events}
    return Reviewed(read_run(list(events), read_by.synonyms), said, sent, asked)


def asked_for(text: str, known: Synonyms) -> list[str]:
    """The keys of the fields that a guidance text asks for, in its quotation of them."""
    listed = [line for quotation in NAMES.finditer(text) for line in quotation[2].split("\n")]
    return [key_of(line[2:], known)[:LONGEST_KEY] for line in listed if line.startswith("- ")]
