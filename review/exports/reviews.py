"""Reviewed runs: as JSON a line per run with all that was said of it and what it was made with; as a table a row
per review."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef

from generation.blind import without_judge
from generation.models import Call, Draft, Injection, Judgement, Run
from generation.models.run import RunQuerySet
from review.blindness import judge_seen
from review.exports.chunks import Chunk, Pace, by_run
from review.exports.columns import SIGNAL_COLUMNS, Row, columns
from review.exports.wanted import Wanted
from review.models import ReviewEvent

Rows = dict[UUID, list[dict[str, Any]]]

RUN_FIELDS = (
    "flow", "external_id", "title", "source", "metadata", "status", "judge_outcome", "error", "provider", "model",
    "revision", "round", "arm", "trigger_state", "created_at", "finished_at",
)  # fmt: skip
REVIEW_FIELDS = (
    "id", "sequence", "kind", "undoes", "round", "service", "source", "blind", "blind_to_judge", "decision",
    "information_present", "missing_spec", "bad_format", "wrong_information", "wrong_physical_dimensions", "notes",
    "corrections", "created_at",
)  # fmt: skip
JUDGEMENT_FIELDS = ("round", "cycle", "kind", "outcome", "model", "result", "created_at")
INJECTION_FIELDS = ("placeholder", "guidance_key", "reason", "text", "evidence")

OF_THE_RUN = columns(
    run="text", title="text", external_id="text", flow="text", category="text", subcategory="text",
    institution="text", batch="text", arm="text", holdout_share="number", status="text", judge_outcome="text",
)  # fmt: skip
COLUMNS = (
    *OF_THE_RUN,
    *columns(review="integer", round="integer", revision="integer", reviewer="text", service="text", source="text",
             blind="boolean", blind_to_judge="boolean", taken_back="text", decision="text"),
    *SIGNAL_COLUMNS,
    *columns(notes="text", corrections="json", reviewed_at="time", record="json"),
)  # fmt: skip


def runs(wanted: Wanted) -> RunQuerySet:
    """Those with a review, within its times."""
    known = ReviewEvent.objects.visible_to(wanted.viewer)
    reviews = known.filter(run=OuterRef("pk"), **wanted.within("created_at"))
    return wanted.narrowed(Run.objects.filter(Exists(reviews)))


def lines(wanted: Wanted, pace: Pace) -> Iterator[Chunk]:
    """A line per run, oldest first. The same number of queries for each chunk, and one chunk in memory."""
    found = runs(wanted).select_related("subcategory__category", "institution").defer("options")
    return by_run(found, pace, lambda chunk: Chunk(_written(chunk, wanted.viewer), len(chunk)))


def table(wanted: Wanted, pace: Pace) -> Iterator[Chunk]:
    """A row per submitted review; `taken_back` says `undone` or `left_out`, where it was."""
    for chunk in lines(wanted, pace):
        yield Chunk([row for line in chunk.rows for row in _events(line)], chunk.looked_at)


def _events(line: Row) -> Iterator[Row]:
    run = {column.name: line[column.name] for column in OF_THE_RUN}
    taken_back = {event["undoes"]: event["kind"] for event in line["reviews"] if event["undoes"]}
    for event in line["reviews"]:
        if event["kind"] == ReviewEvent.Kind.SUBMITTED:
            renamed = {"review": event["id"], "reviewed_at": event["created_at"], "record": line["output"]}
            yield event | run | renamed | {"taken_back": taken_back.get(event["id"])}


def _written(chunk: list[Run], viewer: User | None) -> list[Row]:
    ids = [run.pk for run in chunk]
    seen = judge_seen(chunk, viewer) if viewer else set(ids)
    told = [pk for pk in ids if pk in seen]
    newest = Draft.objects.filter(run__in=ids, revision=F("run__revision"))
    records = dict(newest.values_list("run", "content"))
    parts = {
        "reviews": _reviews(ids, viewer),
        "judgements": _judgements(told),
        "prompt_versions": _prompt_versions(told),  # a stage that mends tells what the judge found
        "injections": _injections(told),
    }
    return [
        _head(run if run.pk in seen else without_judge(run))
        | {"output": records.get(run.pk)}
        | {name: rows.get(run.pk, []) for name, rows in parts.items()}
        for run in chunk
    ]


def _head(run: Run) -> dict[str, Any]:
    return {
        "run": run.pk,
        "subcategory": run.subcategory.slug if run.subcategory else None,
        "category": run.subcategory.category.name if run.subcategory else None,
        "institution": run.institution.slug if run.institution else None,
        "batch": run.batch_id,
        **{name: getattr(run, name) for name in RUN_FIELDS},
        "holdout_share": float(run.holdout_share),
        "usage": {
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost_usd": float(run.cost_usd),
        },
    }


def _reviews(ids: list[UUID], viewer: User | None) -> Rows:
    events = ReviewEvent.objects.visible_to(viewer).filter(run__in=ids).order_by("run_id", "sequence")
    return _by_run(
        events.values(*REVIEW_FIELDS, owner=F("run"), revision=F("draft__revision"), by=F("reviewer__username")),
        {"by": "reviewer"},
    )


def _judgements(ids: list[UUID]) -> Rows:
    rows = Judgement.objects.filter(run__in=ids).order_by("run_id", "id")
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
        calls.order_by("run_id", "round", "stage", "prompt_version__number")
        .values("round", "stage", owner=F("run"), version=F("prompt_version__number"))
        .distinct(),
        {},
    )


def _injections(ids: list[UUID]) -> Rows:
    """A text that was forgotten with its call is null, and says when."""
    rows = Injection.objects.filter(call__run__in=ids).order_by("call__run_id", "call_id", "position")
    found = rows.values(
        *INJECTION_FIELDS,
        owner=F("call__run"),
        round=F("call__round"),
        stage=F("call__stage"),
        forgotten_at=F("call__forgotten_at"),
    )
    return _by_run((row | ({"text": None} if row["forgotten_at"] else {}) for row in found), {})


def _by_run(rows: Iterable[Any], renamed: dict[str, str]) -> Rows:
    """The rows under their run, with the names that callers know from REST."""
    found: Rows = defaultdict(list)
    for row in rows:
        found[row.pop("owner")].append({renamed.get(name, name): value for name, value in row.items()})
    return found
