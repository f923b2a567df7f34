"""Judgements against reviews: a row per judgement, with what the people said of its round."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import F, Max, QuerySet

from generation.models import Judgement, Run
from generation.models.run import HIDES_JUDGE
from review.exports.chunks import Chunk, Pace, snapshot
from review.exports.columns import SIGNAL_COLUMNS, Row, columns
from review.exports.wanted import Wanted
from review.models import SIGNALS, Decision, ReviewEvent

FACTS = (
    "id", "round", "cycle", "kind", "outcome", "model", "correction_applied", "correction_target", "created_at",
    "result",
)  # fmt: skip
SAID = (*SIGNALS, "missing_spec", "decision", "blind", "blind_to_judge", "notes", "created_at")
COLUMNS = (
    *columns(judgement="integer", run="text", flow="text", subcategory="text", arm="text", holdout_share="number",
             round="integer", cycle="integer", is_last="boolean", revision="integer", kind="text", outcome="text",
             model="text", prompt_version="integer", correction_applied="boolean", correction_target="text",
             judged_at="time", reviews_count="integer", decision="text", agrees="boolean", blind="boolean",
             blind_to_judge="boolean", left_out="boolean", reviewed_revision="integer"),
    *SIGNAL_COLUMNS,
    *columns(reviewed_at="time", reviews="json", result="json"),
)  # fmt: skip


def judgements(wanted: Wanted) -> QuerySet[Judgement]:
    """Those made within the times; for a person none of runs that are reviewed without knowing the judge."""
    found = Judgement.objects.filter(**wanted.within("created_at"))
    if wanted.viewer:
        found = found.exclude(run__in=Run.objects.filter(HIDES_JUDGE).values("pk"))
    if wanted.flow or wanted.subcategory or wanted.batch:
        found = found.filter(run__in=wanted.narrowed(Run.objects.all()).values("pk"))
    return found


def rows(wanted: Wanted, pace: Pace) -> Iterator[Chunk]:
    """In the order in which they were made; each once, and none that was made after this began."""
    found, after = judgements(wanted).order_by("pk"), 0
    last = Judgement.objects.aggregate(last=Max("pk"))["last"] or 0
    while after < last:
        size = pace.next()
        with snapshot():
            chunk = _written(found.filter(pk__gt=after, pk__lte=last)[:size], wanted.viewer)
        if chunk:
            yield Chunk(chunk, len(chunk))
        if len(chunk) < size:
            return
        after = chunk[-1]["judgement"]


def _written(found: QuerySet[Judgement], viewer: User | None) -> list[Row]:
    stored = list(
        found.values(
            *FACTS, "run_id", flow=F("run__flow"), subcategory=F("run__subcategory__slug"), arm=F("run__arm"),
            holdout_share=F("run__holdout_share"), revision=F("draft__revision"),
            version=F("prompt_version__number"),
        )
    )  # fmt: skip
    runs = {row["run_id"] for row in stored}
    last = Judgement.objects.filter(run__in=runs).order_by().values("run_id", "round").annotate(last=Max("cycle"))
    lasts = {(row["run_id"], row["round"]): row["last"] for row in last}
    said = _said(runs, viewer)
    return [
        _row(row, row["cycle"] == lasts[row["run_id"], row["round"]], said[row["run_id"], row["round"]])
        for row in stored
    ]


def _row(row: dict[str, Any], is_last: bool, said: list[Row]) -> Row:
    """What people said stands beside the last judgement of a round: that is the draft which they saw.

    The review that counts is the last one that was not left out; else the last.
    """
    version, judged_at = row.pop("version"), row.pop("created_at")
    head = {"judgement": row.pop("id"), "run": row.pop("run_id")}
    row["holdout_share"] = float(row["holdout_share"])
    counting = [review for review in said if not review["left_out"]] or said
    review = counting[-1] if counting and is_last else None
    none: Row = dict.fromkeys((*SIGNALS, "missing_spec", "decision", "blind", "blind_to_judge", "left_out"))
    told = {name: review[name] for name in none} if review else none
    return {
        **head, **row, "is_last": is_last, "prompt_version": version, "judged_at": judged_at,
        "reviews_count": len(said), **told,
        "agrees": _agrees(row["outcome"], review), "reviewed_at": review["created_at"] if review else None,
        "reviewed_revision": review["revision"] if review else None, "reviews": said,
    }  # fmt: skip


def _agrees(outcome: str, review: Row | None) -> bool | None:
    """Passed and approved as it was, or failed and not. None where either is missing: silence is no agreement."""
    if review is None or outcome == Judgement.Outcome.UNAVAILABLE:
        return None
    approved = review["decision"] == Decision.APPROVE and not review["corrected"]
    return bool(approved == (outcome == Judgement.Outcome.PASSED))


def _said(runs: set[UUID], viewer: User | None) -> dict[tuple[UUID, int], list[Row]]:
    """Reviews by people that were not undone, by run and round, oldest first; `left_out` told."""
    found: dict[tuple[UUID, int], list[Row]] = defaultdict(list)
    events = ReviewEvent.objects.visible_to(viewer).filter(run__in=runs).order_by("run_id", "sequence")
    stored = list(
        events.values(
            *SAID, "id", "run_id", "round", "kind", "source", "undoes", "corrections",
            revision=F("draft__revision"), by=F("reviewer__username"),
        )
    )  # fmt: skip
    taken_back = {(row["undoes"], row["kind"]) for row in stored}
    for row in stored:
        undone = (row["id"], ReviewEvent.Kind.UNDONE) in taken_back
        person = row["source"] == ReviewEvent.Source.PERSON
        if row["kind"] == ReviewEvent.Kind.SUBMITTED and person and not undone:
            said = {name: row[name] for name in ("id", *SAID, "revision")}
            said |= {"reviewer": row["by"], "corrected": bool(row["corrections"])}
            said["left_out"] = (row["id"], ReviewEvent.Kind.LEFT_OUT) in taken_back
            found[row["run_id"], row["round"]].append(said)
    return found
