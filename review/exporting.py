"""The export: one JSON line per reviewed run, with all that was said of it and what it was made with."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef

from generation.blind import without_judge
from generation.models import Call, Draft, Injection, Judgement, Run
from review.blindness import judge_seen
from review.models import ReviewEvent

UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # JSON may hold them as they are
CHUNK = 200  # runs in memory at a time

Rows = dict[UUID, list[dict[str, Any]]]

RUN_FIELDS = (
    "flow", "external_id", "title", "source", "metadata", "status", "judge_outcome", "error", "provider", "model",
    "revision", "round", "arm", "trigger_state", "created_at", "finished_at",
)  # fmt: skip
REVIEW_FIELDS = (
    "id", "sequence", "kind", "undoes", "round", "service", "source", "blind", "decision", "information_present",
    "missing_spec", "bad_format", "wrong_information", "wrong_physical_dimensions", "notes", "corrections",
    "created_at",
)  # fmt: skip
JUDGEMENT_FIELDS = ("round", "cycle", "kind", "outcome", "model", "result", "created_at")
INJECTION_FIELDS = ("placeholder", "guidance_key", "reason", "text", "evidence")


def lines(*, flow: str | None = None, since: datetime | None = None, viewer: User | None = None) -> Iterator[str]:
    """Runs with a review (since then, where given), oldest first, each as one line with all its reviews.

    viewer: whose knowledge bounds it, so that who reviews blind stays so; None: nobody's.

    The same number of queries for each chunk of runs, and never more than one chunk in memory.
    """
    after: UUID | None = None
    while chunk := _reviewed(flow, since, after, viewer):
        yield from _written(chunk, viewer)
        after = chunk[-1].pk


def _reviewed(flow: str | None, since: datetime | None, after: UUID | None, viewer: User | None) -> list[Run]:
    reviews = ReviewEvent.objects.visible_to(viewer).filter(run=OuterRef("pk"))
    if since is not None:
        reviews = reviews.filter(created_at__gte=since)
    runs = Run.objects.filter(Exists(reviews)).select_related("subcategory__category", "institution")
    if flow:
        runs = runs.filter(flow=flow)
    if after is not None:
        runs = runs.filter(pk__gt=after)
    return list(runs.order_by("pk")[:CHUNK])


def _written(chunk: list[Run], viewer: User | None) -> Iterator[str]:
    ids = [run.pk for run in chunk]
    seen = judge_seen(chunk, viewer) if viewer else set(ids)
    newest = Draft.objects.filter(run__in=ids, revision=F("run__revision"))
    records = dict(newest.values_list("run", "content"))
    parts = {
        "reviews": _reviews(ids, viewer),
        "judgements": _judgements([pk for pk in ids if pk in seen]),
        "prompt_versions": _prompt_versions(ids),
        "injections": _injections(ids),
    }
    for run in chunk:
        line = _head(run if run.pk in seen else without_judge(run)) | {"output": records.get(run.pk)}
        line |= {name: rows.get(run.pk, []) for name, rows in parts.items()}
        yield one_line(json.dumps(line, default=_plain, ensure_ascii=False)) + "\n"


def _head(run: Run) -> dict[str, Any]:
    return {
        "run": run.pk,
        "subcategory": run.subcategory.slug if run.subcategory else None,
        "category": run.subcategory.category.name if run.subcategory else None,
        "institution": run.institution.slug if run.institution else None,
        "batch": run.batch_id,
        **{name: getattr(run, name) for name in RUN_FIELDS},
        "usage": {
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost_usd": float(run.cost_usd),
        },
    }


def one_line(text: str) -> str:
    """The same JSON without what some readers take for a line's end, and a terminal for a command."""
    return UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _plain(value: Any) -> str:
    """Times whole, to the microsecond: events are ordered by them."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _reviews(ids: list[UUID], viewer: User | None) -> Rows:
    events = ReviewEvent.objects.visible_to(viewer).filter(run__in=ids).order_by("run", "sequence")
    return _by_run(
        events.values(*REVIEW_FIELDS, owner=F("run"), revision=F("draft__revision"), by=F("reviewer__username")),
        {"by": "reviewer"},
    )


def _judgements(ids: list[UUID]) -> Rows:
    rows = Judgement.objects.filter(run__in=ids).order_by("run", "id")
    return _by_run(
        rows.values(
            *JUDGEMENT_FIELDS,
            owner=F("run"),
            revision=F("draft__revision"),
            version=F("prompt_version__number"),
        ),
        {"version": "prompt_version"},
    )


def _prompt_versions(ids: list[UUID]) -> Rows:
    """Which version of which prompt was sent in which round."""
    calls = Call.objects.filter(run__in=ids, prompt_version__isnull=False)
    return _by_run(
        calls.order_by("run", "round", "stage", "prompt_version__number")
        .values("round", "stage", owner=F("run"), version=F("prompt_version__number"))
        .distinct(),
        {},
    )


def _injections(ids: list[UUID]) -> Rows:
    rows = Injection.objects.filter(call__run__in=ids).order_by("call__run", "call", "position")
    return _by_run(
        rows.values(*INJECTION_FIELDS, owner=F("call__run"), round=F("call__round"), stage=F("call__stage")), {}
    )


def _by_run(rows: Iterable[Any], renamed: dict[str, str]) -> Rows:
    """The rows under their run, with the names that callers know from REST."""
    found: Rows = defaultdict(list)
    for row in rows:
        found[row.pop("owner")].append({renamed.get(name, name): value for name, value in row.items()})
    return found
