"""The latest review as pages and REST show it, kept on the run; the events are the history."""

from collections.abc import Sequence
from typing import Any

from review.models import SIGNALS, ReviewEvent, ReviewForm
from review.people import name_of


def of_form(form: ReviewForm) -> dict[str, Any]:
    """Of a form that was submitted, whether or not its event is written already."""
    assert form.submitted_at is not None
    return _said(form) | {
        "subcategory": form.subcategory.slug if form.subcategory else None,
        "source": ReviewEvent.Source.PERSON if form.reviewer_id else ReviewEvent.Source.MACHINE,
        "revision": form.revision,
        "at": form.submitted_at.isoformat(),
        "status_before": form.before.get("status"),
        "form": form.pk,
    }


def of_forms(forms: Sequence[ReviewForm]) -> dict[str, Any]:
    """Of reviewers who agree, as the last of them brought it about. Each event keeps its own.

    Each signal as most of them say, raised where they are even; all missing fields and all notes.
    """
    missing = dict.fromkeys(name for form in forms for name in form.missing_spec)
    return of_form(forms[-1]) | {
        **{signal: most(signal, [getattr(form, signal) for form in forms]) for signal in SIGNALS},
        "missing_spec": list(missing),
        "notes": "\n\n".join(dict.fromkeys(form.notes for form in forms if form.notes)),
        "reviews": len(forms),
    }


def most(signal: str, said: Sequence[bool | None]) -> bool | None:
    """Having too little is raised by a no, everything else by a yes."""
    yes, no = said.count(True), said.count(False)
    if yes == no:
        return (signal != "information_present") if yes else None
    return yes > no


def of_event(event: ReviewEvent) -> dict[str, Any]:
    """Of an event that no form stands behind: an imported one."""
    return _said(event) | {
        "subcategory": event.corrections.get("subcategory", {}).get("to"),
        "source": event.source,
        "revision": event.draft.revision if event.draft else None,
        "at": event.created_at.isoformat(),
        "status_before": None,
        "form": None,
    }


def _said(review: ReviewForm | ReviewEvent) -> dict[str, Any]:
    return {
        "decision": review.decision,
        **{signal: getattr(review, signal) for signal in SIGNALS},
        "missing_spec": review.missing_spec,
        "notes": review.notes,
        "reviewer": name_of(review.reviewer) if review.reviewer else review.service,
        "round": review.round,
    }
