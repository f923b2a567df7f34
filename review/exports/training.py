"""The training set: what people approved, with the prompt that asked for it.

Taught is what a person approved: the run's last review that stands is a person's `approve` and was not left out
of learning. Of the prompts those of the first draft alone are taught from, for they ask without a hint. What the
record's own stage should have answered to them is the approved record; every other stage is taught by its own
answer, and only where nobody had to change anything after it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.flows.base import Stage
from generation.flows.order import in_order, schema_of
from generation.models import Call, Draft, Judgement, Run, Status
from generation.models.run import RunQuerySet
from review.exports.chunks import Chunk, Pace, by_run
from review.exports.columns import SIGNAL_COLUMNS, Row, columns
from review.exports.wanted import Wanted
from review.models import SIGNALS, Decision, ReviewEvent

CALL_FIELDS = ("round", "cycle", "stage", "attempt", "system", "user", "answer", "model", "forgotten_at")
FAULTS = ("bad_format", "wrong_information", "wrong_physical_dimensions")
_HEAD = columns(
    run="text", flow="text", subcategory="text", arm="text", holdout_share="number", approved_at="time"
)
_ASKED = columns(stage="text", prompt_version="integer", model="text")
COLUMNS = {
    "full": (
        *_HEAD,
        *columns(round="integer", revision="integer", source="json", first_draft="json", record="json",
                 changed="boolean", corrections="json"),
        *SIGNAL_COLUMNS,
        *columns(reviews="json", prompts="json", forgotten_at="time"),
    ),
    "chat": (*_HEAD, *_ASKED, *columns(target="text", messages="messages"), *SIGNAL_COLUMNS),
    "preference": (
        *_HEAD, *_ASKED,
        *columns(prompt="messages", chosen="messages", rejected="messages", corrections="json"),
        *SIGNAL_COLUMNS,
    ),
}  # fmt: skip


def runs(wanted: Wanted) -> RunQuerySet:
    """Approved ones whose last review that counts is within the times."""
    return wanted.narrowed(Run.objects.filter(status=Status.APPROVED, **wanted.within("last_reviewed_at")))


def rows(wanted: Wanted, pace: Pace) -> Iterator[Chunk]:
    """In the order of the runs' making. left_out says why approved runs, or stages of theirs, teach nothing."""
    form = {"": _full, "full": _full, "chat": _chat, "preference": _preference}[wanted.form]
    found = (
        runs(wanted)
        .select_related("subcategory")
        .defer("options", "metadata", "trigger_state", "first_trigger_state")
    )
    return by_run(found, pace, lambda chunk: _taught(chunk, form))


@dataclass(frozen=True)
class Lesson:
    """An approved run, and all that it teaches by."""

    run: Run
    approval: Row
    reviews: list[Row]  # that count, oldest first
    first: Row  # draft
    record: dict[str, Any]  # as approved
    calls: list[Row]  # answered, in the order in which they were made
    judged_first: str  # what the judge said of the first draft, if anything

    @property
    def changed(self) -> bool:
        return bool(self.first["content"] != self.record)

    @property
    def is_faultless(self) -> bool:
        """Approved as it was first made, and nothing said against it: then every answer on the way was right."""
        against = (*FAULTS, "missing_spec", "corrections")
        return not self.changed and not any(
            review["decision"] != Decision.APPROVE or any(review[name] for name in against)
            for review in self.reviews
        )

    def asked_first(self) -> dict[str, Row]:
        """The calls that the first draft came of, the last of each stage."""
        place = self.first["round"], 1
        return {call["stage"]: call for call in self.calls if (call["round"], call["cycle"]) == place}

    def head(self) -> Row:
        run = self.run
        return {
            "run": run.pk, "flow": run.flow, "subcategory": run.subcategory.slug if run.subcategory else None,
            "arm": run.arm, "holdout_share": float(run.holdout_share), "approved_at": self.approval["created_at"],
            **signals(self.reviews),
        }  # fmt: skip

    def corrections(self) -> list[Any]:
        return [review["corrections"] for review in self.reviews if review["corrections"]]


def signals(reviews: Iterable[Row]) -> Row:
    """Of all reviews together: yes where any said so, no where one only said no, None where none spoke."""
    found: Row = {}
    for name in SIGNALS:
        spoken = [review[name] for review in reviews if review[name] is not None]
        found[name] = any(spoken) if spoken else None
    names = {name: None for review in reviews for name in review["missing_spec"]}
    return found | {"missing_spec": list(names)}


Written = tuple[list[Row], Counter[str]]


def _full(lesson: Lesson) -> Written:
    """All of it. What was forgotten of a prompt is null and says when."""
    forgotten = [call["forgotten_at"] for call in lesson.calls if call["forgotten_at"]]
    flow = lesson.run.flow
    row = lesson.head() | {
        "round": lesson.run.round,
        "revision": lesson.run.revision,
        "source": lesson.run.source,
        "first_draft": _ordered(flow, lesson.first["content"]),
        "record": _ordered(flow, lesson.record),
        "changed": lesson.changed,
        "corrections": lesson.corrections(),
        "reviews": lesson.reviews,
        "prompts": [_told(call) for call in lesson.calls],
        "forgotten_at": min(forgotten, default=None),
    }
    return [row], Counter()


def _told(call: Row) -> Row:
    blank = dict.fromkeys(("system", "user", "answer")) if call["forgotten_at"] else {}
    return call | blank


def _chat(lesson: Lesson) -> Written:
    rows, left_out = [], Counter[str]()
    asked = lesson.asked_first()
    if not asked:
        left_out["no_prompt"] += 1
    for name, call in asked.items():
        target, answer = _target(lesson, name, call)
        if call["forgotten_at"]:
            left_out["forgotten"] += 1
        elif answer is None:
            left_out[target] += 1
        else:
            messages = [*_prompt(call), _message("assistant", answer)]
            rows.append(lesson.head() | _asked(call) | {"target": target, "messages": messages})
    return rows, left_out


def _target(lesson: Lesson, name: str, call: Row) -> tuple[str, str | None]:
    """Whether the approved record or its own answer is what the stage should have said, and it; else why not."""
    stage = _stage(lesson.run.flow, name)
    if name == maker(lesson.run.flow):
        return "record", _as_answer(lesson.run.flow, name, lesson.record)
    if stage is None or stage.agent:
        return "agent", None
    if not lesson.is_faultless or (stage.judges and lesson.judged_first != Judgement.Outcome.PASSED):
        return "unconfirmed", None
    return "answer", call["answer"]


def _preference(lesson: Lesson) -> Written:
    name = maker(lesson.run.flow)
    call = lesson.asked_first().get(name)
    if call is None:
        return [], Counter({"no_prompt" if name else "agent": 1})
    if call["forgotten_at"]:
        return [], Counter(forgotten=1)
    chosen, rejected = (_as_answer(lesson.run.flow, name, one) for one in (lesson.record, lesson.first["content"]))
    if chosen == rejected:
        return [], Counter(unchanged=1)
    pair = {
        "prompt": _prompt(call),
        "chosen": [_message("assistant", chosen)],
        "rejected": [_message("assistant", rejected)],
        "corrections": lesson.corrections(),
    }
    return [lesson.head() | _asked(call) | pair], Counter()


def _prompt(call: Row) -> list[dict[str, str]]:
    return [*([_message("system", call["system"])] if call["system"] else []), _message("user", call["user"])]


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _asked(call: Row) -> Row:
    return {name: call[name] for name in ("stage", "prompt_version", "model")}


@cache
def maker(flow: str) -> str:
    """The stage that makes the record: the first whose answer is it, or a part of it; "" where agents do."""
    if flow not in FLOWS:
        return ""
    known = flow_named(flow).record.model_fields.keys()
    for name, stage in flow_named(flow).stages.items():
        if stage.answer is not None and not stage.agent and stage.answer.model_fields.keys() <= known:
            return name
    return ""


def _stage(flow: str, name: str) -> Stage | None:
    return flow_named(flow).stages.get(name) if flow in FLOWS else None


def _as_answer(flow: str, name: str, record: Mapping[str, Any]) -> str:
    """The record as its stage answers: the fields of the answer's schema, in their order; both of a pair alike."""
    answer = flow_named(flow).stages[name].answer
    assert answer is not None
    whole = _ordered(flow, record)
    return json.dumps({field: whole[field] for field in answer.model_fields if field in whole}, ensure_ascii=False)


def _ordered(flow: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """The record in its schema's order, since the database sorts keys; nothing is added to it."""
    ordered: dict[str, Any] = _like(record, in_order(record, schema_of(flow)))
    return ordered


def _like(value: Any, ordered: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(ordered, Mapping):
        return {name: _like(value[name], part) for name, part in ordered.items() if name in value}
    if isinstance(value, list) and isinstance(ordered, list):
        return [_like(*pair) for pair in zip(value, ordered, strict=True)]
    return value


def _taught(chunk: list[Run], form: Any) -> Chunk:
    found, left_out = [], Counter[str]()
    for lesson in _lessons(chunk, left_out):
        rows, why_not = form(lesson)
        found += rows
        left_out += why_not
    return Chunk(found, len(chunk), left_out)


def _lessons(chunk: list[Run], left_out: Counter[str]) -> Iterator[Lesson]:
    """Four queries, however many runs."""
    ids = [run.pk for run in chunk]
    events, drafts, calls, judged = _events(ids), _drafts(ids), _calls(ids), _judged(ids)
    for run in chunk:
        reviews = _counting(events[run.pk])
        why_not = _why_not(events[run.pk], reviews)
        if why_not or run.pk not in drafts or run.revision not in drafts[run.pk]:
            left_out[why_not or "no_record"] += 1
            continue
        first = drafts[run.pk][min(drafts[run.pk])]
        record = drafts[run.pk][run.revision]["content"]
        judged_first = judged.get(first["id"], "")
        yield Lesson(
            run, reviews[-1], [_said(review) for review in reviews], first, record, calls[run.pk], judged_first
        )


def _why_not(events: list[Row], counting: list[Row]) -> str:
    """Why an approved run teaches nothing: its approval is a service's, or was left out; "" where it does."""
    undone = {event["undoes"] for event in events if event["kind"] == ReviewEvent.Kind.UNDONE}
    submitted = ReviewEvent.Kind.SUBMITTED
    standing = [event for event in events if event["kind"] == submitted and event["id"] not in undone]
    if not standing or standing[-1]["source"] != ReviewEvent.Source.PERSON:
        return "not_a_person"
    if not counting or counting[-1]["id"] != standing[-1]["id"]:
        return "left_out"
    return "" if counting[-1]["decision"] == Decision.APPROVE else "not_approved"


def _counting(events: list[Row]) -> list[Row]:
    """As `ReviewEvent.objects.counting()`: people's, neither undone nor left out."""
    taken_back = {event["undoes"] for event in events}
    kind, person = ReviewEvent.Kind.SUBMITTED, ReviewEvent.Source.PERSON
    return [
        event
        for event in events
        if event["kind"] == kind and event["source"] == person and event["id"] not in taken_back
    ]


def _said(event: Row) -> Row:
    """A review without its person: what is taught is what was said."""
    return {name: event[name] for name in event if name not in ("undoes", "kind", "source", "run_id")}


def _events(ids: list[UUID]) -> dict[UUID, list[Row]]:
    rows = ReviewEvent.objects.filter(run__in=ids).order_by("run_id", "sequence")
    return _grouped(
        rows.values("id", "run_id", "round", "kind", "source", "undoes", "blind", "decision", *SIGNALS,
                    "missing_spec", "notes", "corrections", "created_at")
    )  # fmt: skip


def _drafts(ids: list[UUID]) -> dict[UUID, dict[int, Row]]:
    """Of each run its first draft and the one that stands, by revision."""
    wanted = Draft.objects.filter(Q(revision=1) | Q(revision=F("run__revision")), run__in=ids)
    rows = _grouped(wanted.values("id", "run_id", "revision", "round", "content"))
    return {run: {row["revision"]: row for row in found} for run, found in rows.items()}


def _calls(ids: list[UUID]) -> dict[UUID, list[Row]]:
    calls = Call.objects.filter(run__in=ids, error__isnull=True).order_by("run_id", "id")
    found = _grouped(calls.values(*CALL_FIELDS, "run_id", version=F("prompt_version__number")))
    for rows in found.values():
        for row in rows:
            row["prompt_version"] = row.pop("version")
            del row["run_id"]
    return found


def _judged(ids: list[UUID]) -> dict[int, str]:
    """What the first judgement of each first draft came to."""
    rows = Judgement.objects.filter(run__in=ids, draft__revision=1).order_by("-id")
    return dict(rows.values_list("draft_id", "outcome"))


def _grouped(rows: Iterable[Any]) -> dict[UUID, list[Row]]:
    found: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["run_id"]].append(row)
    return found
