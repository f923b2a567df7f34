"""Writing the append-only history: one event per submitted form, now or, where that failed, later."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.models import Max, Q, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import clock
from generation.errors import Conflict
from generation.models import Draft, Run, Subcategory
from generation.webhooks import outbox
from review import telling
from review.correcting import changes, corrected
from review.models import ReviewEvent, ReviewForm

log = structlog.get_logger(__name__)

SETTLED = timedelta(seconds=5)  # a younger form may still be inside its own transaction's last steps
BATCH = 100
# All that a new event asks of the database, in one statement.
_PLACE = f"""
SELECT coalesce(max(sequence), 0) + 1,
  (SELECT id FROM generation_draft WHERE run_id = %(run)s AND revision = %(revision)s),
  statement_timestamp(), {outbox.WANTED}
FROM review_reviewevent WHERE run_id = %(run)s
"""  # noqa: S608 - joined of constants, values are bound


def write(form: ReviewForm) -> ReviewEvent:
    """The missing event of a submitted form, with the form's time. The caller holds the run's lock.

    All or nothing, in a savepoint: event, the form's pointer to it, and the run's place in the window.
    """
    with transaction.atomic():
        form.event = event = _insert(form)
        form.save(update_fields=["event"])
        recount(form.run_id)
    return event


def try_write(form: ReviewForm) -> ReviewEvent | None:
    """`write`, where a failure leaves the review standing: it is logged, and the periodic task tries again."""
    return _or_later(write, form)


def try_insert(form: ReviewForm) -> ReviewEvent | None:
    """The event alone, of a form that is being submitted, which has its time from here: the caller saves the form
    and places the run."""
    form.submitted_at = None
    event = _or_later(_insert, form)
    form.submitted_at = form.saved_at = form.submitted_at or clock.now()
    return event


def _or_later(write: Callable[[ReviewForm], ReviewEvent], form: ReviewForm) -> ReviewEvent | None:
    try:
        with transaction.atomic():
            return write(form)
    except Exception as error:  # degrade-gracefully point: history never blocks a reviewer
        form.event = None
        log.error("review_event_write_failed", run=str(form.run_id), form=form.pk, error=type(error).__name__)
        return None


def _insert(form: ReviewForm) -> ReviewEvent:
    place = _place(form)
    form.submitted_at = form.submitted_at or place.now
    event = ReviewEvent.objects.create(
        run_id=form.run_id,
        draft_id=place.draft_id,
        round=form.round,
        sequence=place.sequence,
        reviewer_id=form.reviewer_id,
        service=form.service,
        source=ReviewEvent.Source.PERSON if form.reviewer_id else ReviewEvent.Source.MACHINE,
        blind=bool(form.before.get("blind")),
        blind_to_judge=bool(form.before.get("judged_blind")),
        decision=form.decision,
        information_present=form.information_present,
        bad_format=form.bad_format,
        wrong_information=form.wrong_information,
        wrong_physical_dimensions=form.wrong_physical_dimensions,
        missing_spec=form.missing_spec,
        notes=form.notes,
        corrections=corrections(form),
        created_at=form.submitted_at,
    )
    telling.recorded(event, form.run, place.wanted)
    return event


def write_first(form: ReviewForm) -> ReviewEvent:
    """The missing event of a form that is about to change; Conflict where it cannot be written yet."""
    event = try_write(form)
    if event is None:
        raise Conflict(_("Your review is not in the history yet; try again in a minute."))
    return event


def write_missing_events() -> int:
    """Write the event of every submitted form that has none; answers how many were written.

    Safe to run twice at once and again after any failure. A run that somebody else has locked, or
    whose event fails once more, is left to the next time; it stops none of the others.
    """
    written = 0
    after: tuple[Any, int] | None = None
    while batch := _without_event(after):
        for form_id, _at, run_id in batch:
            written += _write_later(form_id, run_id)
        after = (batch[-1][1], batch[-1][0])
    if written:
        log.info("review_events_repaired", count=written)
    return written


class _Place(NamedTuple):
    """Of a form's event: its number, the draft that was looked at, the time, the webhooks that anybody wants."""

    sequence: int
    draft_id: int | None
    now: datetime
    wanted: list[str]


def _place(form: ReviewForm) -> _Place:
    with connection.cursor() as cursor:
        cursor.execute(_PLACE, {"run": form.run_id, "revision": form.revision})
        return _Place(*cursor.fetchone())


def next_sequence(run_id: UUID) -> int:
    """The number of the run's next event. The caller holds the run's lock."""
    newest: int | None = ReviewEvent.objects.filter(run=run_id).aggregate(newest=Max("sequence"))["newest"]
    return (newest or 0) + 1


def recount(run_id: UUID) -> None:
    """Set the run's place in its window by its last event that counts: a person's, not taken back."""
    last = ReviewEvent.objects.filter(run=run_id).counting().order_by("-created_at", "-id")
    Run.objects.filter(pk=run_id).update(
        last_reviewed_at=Subquery(last.values("created_at")[:1]),
        last_review_event_id=Subquery(last.values("pk")[:1]),
    )


def corrections(form: ReviewForm) -> dict[str, Any]:
    """Structured differences between what was generated and what the reviewer says."""
    found: dict[str, Any] = {}
    before = form.before.get("subcategory_id")
    if form.subcategory is not None and form.subcategory_id != before:
        slug = Subcategory.objects.filter(pk=before).values_list("slug", flat=True).first()
        found["subcategory"] = {"from": slug, "to": form.subcategory.slug}
    if form.values:
        content = Draft.objects.get(run=form.run_id, revision=form.revision).content
        after = corrected(form.run.flow, content, form.values)
        if values := changes(content, after, form.values):
            found["values"] = values
    return found


def _without_event(after: tuple[Any, int] | None) -> list[tuple[int, Any, UUID]]:
    forms = ReviewForm.objects.filter(
        state=ReviewForm.State.SUBMITTED, event__isnull=True, submitted_at__lt=Now() - SETTLED
    )
    if after is not None:
        at, form_id = after
        forms = forms.filter(Q(submitted_at__gt=at) | Q(pk__gt=form_id), submitted_at__gte=at)
    return list(forms.order_by("submitted_at", "pk").values_list("pk", "submitted_at", "run_id")[:BATCH])


def _write_later(form_id: int, run_id: UUID) -> bool:
    """One repair, in the order of locks that submitting has: run, then form."""
    with transaction.atomic():
        if not Run.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=run_id).values("pk"):
            return False
        forms = ReviewForm.objects.filter(pk=form_id, state=ReviewForm.State.SUBMITTED, event__isnull=True)
        form = forms.select_related("subcategory").first()
        return form is not None and try_write(form) is not None
