"""The latest review as pages and REST show it, kept on the run; the events are the history."""

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
