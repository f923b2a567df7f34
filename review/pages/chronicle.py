"""All that happened to a run, in the order in which it happened, each entry with the way to its evidence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from generation import timeline
from generation.blind import UNJUDGED
from generation.durations import took
from generation.models import Call, Draft, Judgement, NodeEvent, Run, Status
from generation.verdicts import short
from review.models import ClaimEvent, Placement, ReviewEvent
from review.people import name_of

DECISIONS = {
    "approve": ("passed", "i-check"),
    "revise": ("person", "i-return"),
    "reject": ("failed", "i-cross"),
}


@dataclass(frozen=True)
class Entry:
    """who: a person, a service or a stage. link: the id on the page of what it is about; "" where that is not."""

    at: datetime
    tone: str  # passed, attention, failed, person, machine
    icon: str
    who: str
    text: str
    link: str = ""


def chronicle(
    run: Run,
    *,
    drafts: Iterable[Draft],
    judgements: Iterable[Judgement],
    calls: Iterable[Call],
    events: Iterable[ReviewEvent],
    shown: set[int],
    judge: bool = True,
) -> list[Entry]:
    """The run's past, the oldest first. shown: the rounds whose calls may be led to; judge: whether statuses may
    tell what it found.

    Three queries, however long it is.
    """
    entries = [
        Entry(run.created_at, "machine", "i-plus", "", _("Made")),
        *_statuses(run, judge),
        *(_draft(draft, run) for draft in drafts),
        *(_judgement(run, judgement) for judgement in judgements),
        *(_call(run, call, shown) for call in calls),
        *(_review(event) for event in events),
        *_placements(run),
        *_claims(run),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def _statuses(run: Run, judge: bool) -> Iterator[Entry]:
    labels = dict(Status.choices)
    told = NodeEvent.objects.filter(run=run, kind=NodeEvent.Kind.STATUS)
    for event in told if judge else told.filter(node__in=UNJUDGED):
        yield Entry(event.created_at, "machine", "i-dot", "", capfirst(str(labels.get(event.node, event.node))))


def _draft(draft: Draft, run: Run) -> Entry:
    who = name_of(draft.author) if draft.author else timeline.label(run.flow, draft.made_by)
    if not draft.made_by:
        return Entry(draft.created_at, "machine", "i-machine", "", _("The record was made"))
    words = _("wrote revision %d") if draft.revision <= run.revision else _("wrote revision %d, taken back since")
    tone, icon = ("person", "i-pencil") if draft.author else ("machine", "i-machine")
    return Entry(draft.created_at, tone, icon, who, words % draft.revision, f"draft-{draft.revision}")


def _judgement(run: Run, judgement: Judgement) -> Entry:
    passed = judgement.outcome == Judgement.Outcome.PASSED
    tone, icon = ("passed", "i-check") if passed else ("attention", "i-alert")
    words = short(judgement.outcome, str(judgement.result.get("code", "")))
    return Entry(judgement.created_at, tone, icon, _("The judge"), words, f"judgement-{judgement.pk}")


def _call(run: Run, call: Call, shown: set[int]) -> Entry:
    error = call.error or {}
    words = _("answered after %s") % took(timedelta(milliseconds=call.duration_ms))
    if error:
        words = _("was asked, and failed: %s") % error.get("code")
    tone, icon = ("failed", "i-cross") if error else ("machine", "i-machine")
    link = f"call-{call.pk}" if call.round in shown else ""
    return Entry(call.created_at, tone, icon, timeline.label(run.flow, call.stage), words, link)


def _review(event: ReviewEvent) -> Entry:
    who = name_of(event.reviewer) if event.reviewer else event.service
    if event.kind != ReviewEvent.Kind.SUBMITTED:
        number = event.undoes.sequence if event.undoes else 0
        undone = event.kind == ReviewEvent.Kind.UNDONE
        words = _("took review %d back") if undone else _("left review %d out of learning")
        return Entry(event.created_at, "person", "i-return", who, words % number, f"review-{event.sequence}")
    tone, icon = DECISIONS[event.decision]
    words = {"approve": _("approved it"), "revise": _("sent it back"), "reject": _("rejected it")}[event.decision]
    return Entry(event.created_at, tone, icon, who, words, f"review-{event.sequence}")


def _placements(run: Run) -> Iterator[Entry]:
    for one in Placement.objects.filter(run=run).select_related("person"):
        text = f"{one.get_kind_display()}: {one.why}" if one.why else one.get_kind_display()
        yield Entry(one.created_at, "person", "i-stop", name_of(one.person), text)


def _claims(run: Run) -> Iterator[Entry]:
    for one in ClaimEvent.objects.filter(run=run).select_related("person", "by"):
        who = name_of(one.by or one.person)
        words = {
            ClaimEvent.Kind.TAKEN: _("took it up for review"),
            ClaimEvent.Kind.GIVEN_BACK: _("gave it back"),
            ClaimEvent.Kind.FREED: _("took it from %s") % name_of(one.person),
        }
        yield Entry(one.created_at, "person", "i-person", who, words[ClaimEvent.Kind(one.kind)])
