"""Taking a review back, and leaving one out of learning: both are events, nothing is deleted."""

from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import search
from generation.errors import Conflict
from generation.models import Call, Run, Status
from generation.progress import status_changed
from generation.webhooks import outbox
from review import history, panel, queue, telling
from review.groups import CAN_LEAVE_OUT
from review.models import Decision, ReviewEvent, ReviewForm

log = structlog.get_logger(__name__)

# What a decision, and the round that it may start, changes on a run.
KEPT = (
    "status", "error", "judge_outcome", "suspicion", "degradations", "trigger_state", "first_trigger_state",
    "latest_review",
    "subcategory_id", "subcategory_corrected", "attempts", "revision", "reviews_needed", "reviews_done",
    "reviews_from", "reviewers_disagree", "four_eyes", "blind_to_judge",
)  # fmt: skip
KEPT_TIMES = ("started_at", "finished_at", "changed_at")  # the last is its place in the queue


def remember(run: Run) -> dict[str, Any]:
    """The run's fields as JSON, for `undo` to put back."""
    times = {name: getattr(run, name) for name in KEPT_TIMES}
    return {name: getattr(run, name) for name in KEPT} | {
        name: at.isoformat() if at else None for name, at in times.items()
    }


def _remembered(before: dict[str, Any]) -> dict[str, Any]:
    times = {name: before[name] for name in KEPT_TIMES if name in before}  # older forms know less
    return {name: before[name] for name in KEPT if name in before} | {
        name: datetime.fromisoformat(at) if at else None for name, at in times.items()
    }


def undo(run_id: UUID, reviewer: User) -> ReviewEvent:
    """Take back the reviewer's review: the run stands as before, the form is half-filled again and theirs.

    Conflict where there is none, somebody reviewed the run since, or the run has moved on: a
    `revise` can be taken back until its round has produced a draft. Of several reviewers each takes the own review
    back until the decision takes effect, from then on only who brought it about.
    """
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        waiting = panel.votes(run).filter(reviewer=reviewer).first() if run.needs_several else None
        form = waiting or _latest_own(run, reviewer)
        if waiting is None:
            _refuse_if_moved_on(run, form)
        event = form.event or history.write_first(form)
        undone = _answer(event, ReviewEvent.Kind.UNDONE, reviewer)
        if waiting is None:
            _put_back(run, form)
        else:
            _withdraw(run, form)
        history.recount(run.pk)
        run.refresh_from_db()
        if run.is_up_for_review and not queue.held_by_another(run, reviewer):
            queue.hold(run, reviewer)
    log.info("review_undone", run=str(run.pk), review_event=event.pk)
    return undone


def leave_out(event_id: int, by: User) -> ReviewEvent:
    """Take a review out of learning; its decision stands. For its author, and for who has the permission."""
    event = ReviewEvent.objects.get(pk=event_id)
    if event.reviewer_id != by.pk and not by.has_perm(CAN_LEAVE_OUT):
        raise PermissionDenied(_("Only its author or an adjudicator leaves a review out of learning."))
    with transaction.atomic():
        Run.objects.locked(event.run_id)
        if not ReviewEvent.objects.counting().filter(pk=event.pk).exists():
            raise Conflict(_("This review does not count in learning as it is."))
        left_out = _answer(event, ReviewEvent.Kind.LEFT_OUT, by)
        history.recount(event.run_id)
    log.info("review_left_out", run=str(event.run_id), review_event=event.pk)
    return left_out


def _latest_own(run: Run, reviewer: User) -> ReviewForm:
    forms = ReviewForm.objects.filter(run=run, reviewer=reviewer, state=ReviewForm.State.SUBMITTED)
    form = forms.select_related("event", "subcategory", "corrected").order_by("-submitted_at", "-pk").first()
    if form is None:
        raise Conflict(_("You have no review of this run to take back."))
    latest = run.latest_review or {}
    if latest.get("form") != form.pk:
        words = {"name": latest.get("reviewer", "")}
        raise Conflict(_("%(name)s has reviewed this run since; your review stands.") % words)
    return form


def _refuse_if_moved_on(run: Run, form: ReviewForm) -> None:
    if form.decision == Decision.REVISE:
        if run.revision != form.left_at:
            raise Conflict(_("The next round has produced a draft already; review that one."))
        stands = run.round > form.round
    else:
        stands = run.status == (Status.APPROVED if form.decision == Decision.APPROVE else Status.REJECTED)
    if not stands:
        status = Status(run.shown_status).label
        raise Conflict(_("This run has moved on since your review; it is %s now.") % status)


def _put_back(run: Run, form: ReviewForm) -> None:
    """The run's fields as the submission found them, and the form open again.

    A revise whose round no worker has touched leaves no trace in the count of rounds. Else the round stays
    counted, with the calls that were made for it, so that the next one does not take their answers as its own.
    """
    before = _remembered(form.before)
    idle = run.status == Status.QUEUED and run.lease is None
    untouched = idle and not Call.objects.filter(run=run, round=run.round).exists()
    back_to = form.round if untouched else run.round
    Run.objects.filter(pk=run.pk).update(
        **{"changed_at": Now()} | before,
        round=back_to,
        lease=None,
        lease_expires_at=None,
        next_attempt_at=None,
    )
    if run.revision != form.revision:
        search.renew(run.pk)  # a correction that is taken back is found no more
    status_changed(run.pk, before["status"], back_to)
    if back_to != form.round and before.get("reviews_done"):  # the other reviewers' stay with it
        others = ReviewForm.objects.filter(run=run, round=form.round, revision=form.revision).exclude(pk=form.pk)
        others.update(round=back_to)
    _open_again(form, back_to)


def _withdraw(run: Run, form: ReviewForm) -> None:
    """One of several reviews, before the run is decided: the others stand, and nobody disagrees any more."""
    _open_again(form, form.round)
    others = list(panel.votes(run))
    if all(other.submitted_at < form.submitted_at for other in others if other.submitted_at and form.submitted_at):
        run.changed_at = _remembered(form.before).get("changed_at") or run.changed_at  # its old place in the queue
    run.reviews_done, run.reviewers_disagree = len(others), False
    run.save(update_fields=["reviews_done", "reviewers_disagree", "changed_at"])


def _open_again(form: ReviewForm, round: int) -> None:
    ReviewForm.objects.filter(pk=form.pk).update(
        state=ReviewForm.State.HALF_FILLED,
        event=None,
        corrected=None,
        submitted_at=None,
        round=round,
        before={},
        saved_at=Now(),
    )


def _answer(event: ReviewEvent, kind: str, by: User) -> ReviewEvent:
    """An event that takes another back. The caller holds the run's lock."""
    answer = ReviewEvent.objects.create(
        run_id=event.run_id,
        draft_id=event.draft_id,
        round=event.round,
        sequence=history.next_sequence(event.run_id),
        kind=kind,
        undoes=event,
        reviewer=by,
        source=ReviewEvent.Source.PERSON,
    )
    telling.recorded(answer, answer.run, outbox.wanted())
    return answer
