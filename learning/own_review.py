"""A run's own review: what the person who asked for this revision said about the last one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generation.guidance import GuidanceRequest
from learning.window import read_signals
from review.models import Decision, ReviewEvent
from review.models.signals import SIGNALS
from review.normalise import to_bool, to_names

FIELDS = (*SIGNALS, "missing_spec", "notes", "corrections")


@dataclass(frozen=True)
class OwnReview:
    """signals: None where the review left one unset. notes: as written, not sanitized. subcategory: the slug
    that a reviewer corrected it to. evidence: its event, none in a preview."""

    signals: Mapping[str, bool | None]
    names: tuple[str, ...]
    notes: str
    subcategory: str
    evidence: tuple[int, ...] = ()


def of(request: GuidanceRequest) -> OwnReview | None:
    """The review that a preview gives, else the newest standing `revise` of the round before, else None.

    At most one query. Raises where the review cannot be read.
    """
    if request.review is not None:
        return given(request.review)
    if request.run_id is None or request.round < 2:
        return None
    event = (
        ReviewEvent.objects.standing()
        .filter(run=request.run_id, round=request.round - 1, decision=Decision.REVISE)
        .order_by("-id")
        .values("id", *FIELDS)
        .first()
    )
    return None if event is None else stored(event)


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
    return OwnReview(signals, tuple(names), event["notes"], corrected.get("to") or "", (event["id"],))
