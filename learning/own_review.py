"""A run's own review: what the person who asked for this revision said about the last one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from generation.guidance import GuidanceRequest
from learning.window import read_signals
from review import summaries
from review.correcting import as_text
from review.history import corrections
from review.models import Decision, ReviewEvent, ReviewForm
from review.models.signals import SIGNALS
from review.normalise import to_bool, to_names

FIELDS = (*SIGNALS, "missing_spec", "notes", "corrections")


@dataclass(frozen=True)
class OwnReview:
    """signals: None where the review left one unset. notes: as written, not sanitized. subcategory: the slug
    that a reviewer corrected it to. evidence: its events, none in a preview or where it is not written yet."""

    signals: Mapping[str, bool | None]
    names: tuple[str, ...]
    notes: str
    subcategory: str
    evidence: tuple[int, ...] = ()


def of(request: GuidanceRequest) -> OwnReview | None:
    """The review that a preview gives, else the last standing one of the rounds before, where it is a `revise`.

    A round that failed and was tried again still answers the `revise` before it. Where several people agreed on
    it, blind to each other, it answers all of them as their summary has it. Where the history could not be written
    yet, the review is read off its form, without evidence. One query, one more in those three cases. Raises where
    the review cannot be read.
    """
    if request.review is not None:
        return given(request.review)
    if request.run_id is None or request.round < 2:
        return None
    event = (
        ReviewEvent.objects.standing()
        .filter(run=request.run_id, round__lt=request.round)
        .order_by("-round", "-created_at", "-id")
        .values("id", "round", "decision", "blind", *FIELDS)
        .first()
    )
    last = 0 if event is None else event["round"]
    if last < request.round - 1 and (form := _unwritten(request.run_id, last, request.round)):
        event = _of_form(form)
    if event is None or event["decision"] != Decision.REVISE:
        return None
    return _of_all(request.run_id, event) if event.get("blind") else stored(event)


def _of_all(run_id: UUID, last: Mapping[str, Any]) -> OwnReview:
    """What all who reviewed this round blind say; they agree on the decision and on what they corrected."""
    blind = ReviewEvent.objects.standing().filter(run=run_id, round=last["round"], blind=True)
    events = list(blind.filter(decision=Decision.REVISE).order_by("created_at", "id").values("id", *FIELDS))
    together = {
        **{name: summaries.most(name, [event[name] for event in events]) for name in SIGNALS},
        "missing_spec": list(dict.fromkeys(name for event in events for name in event["missing_spec"])),
        "notes": "\n\n".join(dict.fromkeys(event["notes"] for event in events if event["notes"])),
    }
    return replace(stored({**last, **together}), evidence=tuple(event["id"] for event in events))


def _unwritten(run_id: UUID, after: int, before: int) -> ReviewForm | None:
    """The last review of the rounds between, which is in no history yet."""
    forms = ReviewForm.objects.filter(run=run_id, round__gt=after, round__lt=before, event__isnull=True)
    submitted = forms.filter(state=ReviewForm.State.SUBMITTED).select_related("subcategory")
    return submitted.order_by("-round", "-submitted_at", "-pk").first()


def _of_form(form: ReviewForm) -> dict[str, Any]:
    """The form as its event will say it."""
    said = {name: getattr(form, name) for name in ("decision", *SIGNALS, "missing_spec", "notes")}
    return said | {"id": None, "corrections": corrections(form)}


def given(review: Mapping[str, Any]) -> OwnReview:
    """A review as a caller writes it."""
    return OwnReview(
        signals={signal: to_bool(review.get(signal)) for signal in SIGNALS},
        names=tuple(to_names(review.get("missing_spec"))),
        notes=review.get("notes") or "",
        subcategory=review.get("subcategory") or "",
    )


def stored(event: Mapping[str, Any]) -> OwnReview:
    signals, names = read_signals(event)
    corrected = event["corrections"].get("subcategory") or {}
    notes = "\n".join(filter(None, [event["notes"], *_corrected_values(event["corrections"])]))
    return OwnReview(signals, tuple(names), notes, corrected.get("to") or "", _evidence(event))


def _corrected_values(corrections: Mapping[str, Any]) -> list[str]:
    """What the reviewer put right in place, as a note says it: the next draft begins with the source again."""
    return [
        f"{value['label']}: {as_text(value['from']) or '-'} is wrong, right is {as_text(value['to']) or '-'}"
        for value in corrections.get("values", ())
    ]


def _evidence(event: Mapping[str, Any]) -> tuple[int, ...]:
    return () if event["id"] is None else (event["id"],)
