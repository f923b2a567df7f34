"""The one writer of reviews: half-filled forms, submissions, and what a submission sets in motion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from generation import clock
from generation.errors import Conflict, FieldProblem, Problems
from generation.models import Draft, Run, Subcategory
from generation.progress import status_changed
from generation.runs import start_round
from review import assigning, blindness, history, panel, queue, summaries
from review.correcting import corrected, keep_corrected, values_at
from review.history import write_missing_events
from review.models import DECIDED, Decision, ReviewEvent, ReviewForm
from review.normalise import names_at, notes_at
from review.undoing import leave_out, remember, undo

__all__ = [
    "Fields",
    "Recorded",
    "Stale",
    "leave_out",
    "save_half_filled",
    "submit",
    "undo",
    "write_missing_events",
]

log = structlog.get_logger(__name__)

# What a submission may change on its run, in one statement.
DECIDES = (
    "latest_review", "revision", "last_reviewed_at", "last_review_event_id", "subcategory",
    "subcategory_corrected", "status", "changed_at", "reviews_done", "reviewers_disagree",
)  # fmt: skip


# What a submission may meet, and many do not: in one statement, written out, as all of them ask it.
_MET = """
SELECT EXISTS (
    SELECT FROM review_claim
    WHERE run_id = %(run)s AND expires_at > statement_timestamp() AND reviewer_id IS DISTINCT FROM %(reviewer)s
  ), (
    SELECT id FROM review_reviewform
    WHERE run_id = %(run)s AND round = %(round)s AND service = %(service)s
      AND reviewer_id IS NOT DISTINCT FROM %(reviewer)s
  )
"""


class Stale(Conflict):
    """The half-filled form was saved by another page since this one was drawn."""


@dataclass(frozen=True)
class Fields:
    """What a reviewer says. None is unset; `subcategory` only where it is corrected; `values`: JSON pointer → what
    shall stand there (`review/correcting.py`)."""

    decision: str = ""
    information_present: bool | None = None
    missing_spec: Sequence[str] = ()
    bad_format: bool | None = None
    wrong_information: bool | None = None
    wrong_physical_dimensions: bool | None = None
    notes: str = ""
    subcategory: Subcategory | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, form: ReviewForm) -> "Fields":
        return cls(**{name: getattr(form, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Recorded:
    """A review that stands. `event` is None where the history could not be written yet; `decided`: whether the
    review took effect, or waits for other reviewers."""

    form: ReviewForm
    event: ReviewEvent | None
    run: Run
    decided: bool = True


def save_half_filled(run_id: UUID, reviewer: User, fields: Fields, *, base: str | None = None) -> ReviewForm:
    """Keep what is filled in so far. A form that was submitted is given back as it is.

    base: the `version` of the form that the page had; Stale where another is stored that says something else.
    """
    fields = _checked(fields)
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        queue.refuse_unless_open(run, reviewer)
        key = {"run": run, "reviewer": reviewer, "service": "", "round": run.round}
        form = ReviewForm.objects.filter(**key).first() or ReviewForm(**key)
        if form.state == ReviewForm.State.HALF_FILLED:
            if form.pk and base is not None and base != form.version and Fields.of(form) != fields:
                raise Stale(_("Not saved: this was changed in another tab. Reload the page to see it."))
            _fill(form, fields, revision=run.revision)
            form.saved_at = clock.now()
            form.save()
        return form


def submit(
    run_id: UUID,
    fields: Fields,
    *,
    reviewer: User | None = None,
    service: str = "",
    revision: int | None = None,
) -> Recorded:
    """Submit a review: by a person, or by a service, whose reviews decide but teach nothing.

    One transaction: form, summary, the run's next status, and the history event in a savepoint of it.
    The same review sent twice is one review. Raises BadInput for fields that cannot be kept, Conflict
    where the run is not up for review, `revision` is not the newest, or somebody else holds the run.
    """
    if (reviewer is None) == (not service):
        raise ValueError("a review is either a person's or a service's")
    fields = _checked(fields, submitting=True)
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        if sent_before := _sent_before(run, fields, reviewer, service, revision):
            return Recorded(sent_before, sent_before.event, run, decided=not run.is_up_for_review)
        queue.refuse_unless_open(run, reviewer)
        if revision is not None and revision != run.revision:
            words = {"given": revision, "newest": run.revision}
            raise Conflict(_("Revision %(given)d was reviewed; the newest is %(newest)d.") % words)
        panel.refuse_own(run, reviewer, fields.decision)
        held, begun = _met(run, reviewer, service)
        if held or run.assigned:
            queue.refuse_if_held(run, reviewer)
        form = _filled_in(run, fields, reviewer, service, begun)
        others = list(panel.votes(run).exclude(reviewer=reviewer)) if run.needs_several else []
        outcome = panel.outcome(run, form, others)
        _correct(run, form, keep=outcome == "decided")
        if run.needs_several:
            panel.begin(run)
        form.event = event = history.try_insert(form)
        form.save()
        assigning.end(run)
        if outcome == "decided":
            _decide(run, form, others)
        else:
            _wait(run, form, others, disagree=outcome == "disagree")
        if reviewer is not None or outcome == "decided":
            queue.end_claim(run)
    log.info("review_submitted", run=str(run.pk), decision=form.decision, in_history=event is not None)
    return Recorded(form, event, run, decided=outcome == "decided")


def _checked(fields: Fields, *, submitting: bool = False) -> Fields:
    wrong = Problems()
    if fields.decision not in (Decision.values if submitting else ["", *Decision.values]):
        wrong.append(FieldProblem("/decision", _("One of %(known)s.") % {"known": ", ".join(Decision.values)}))
    with wrong.gathered():
        fields = replace(fields, missing_spec=names_at(fields.missing_spec))
    with wrong.gathered():
        notes_at(fields.notes)
    with wrong.gathered():
        fields = replace(fields, values=values_at(fields.values))
    wrong.refuse()
    return fields


def _sent_before(
    run: Run, fields: Fields, reviewer: User | None, service: str, revision: int | None
) -> ReviewForm | None:
    """The form of this very review, where it is the run's latest and no newer draft came since.

    Or the one that waits for other reviewers. Any other run that is up for review is reviewed anew, though the
    same be said: its next round may have failed.
    """
    forms = ReviewForm.objects.filter(reviewer=reviewer, service=service, state=ReviewForm.State.SUBMITTED)
    if run.needs_several and run.reviews_from is not None:
        forms = forms.filter(run=run, round=run.round, revision=run.revision)
    elif run.latest_review is None or run.is_up_for_review:
        return None
    else:
        forms = forms.filter(pk=run.latest_review["form"])
    form = forms.select_related("event", "subcategory", "corrected").first()
    if form is None or revision not in (None, form.revision) or form.left_at != run.revision:
        return None
    return form if Fields.of(form) == fields else None


def _met(run: Run, reviewer: User | None, service: str) -> tuple[bool, int | None]:
    """Whether somebody else holds the run, and the form of this reviewer and round, where it was begun."""
    who: dict[str, Any] = {
        "run": run.pk,
        "round": run.round,
        "reviewer": reviewer.pk if reviewer else None,
        "service": service,
    }
    with connection.cursor() as cursor:
        cursor.execute(_MET, who)
        held, begun = cursor.fetchone()
    return held, begun


def _filled_in(run: Run, fields: Fields, reviewer: User | None, service: str, begun: int | None) -> ReviewForm:
    """The form of this reviewer and round, submitted now but not saved yet, with the run as it was until now.

    begun: the form's id, where there is one.
    """
    form = ReviewForm.objects.get(pk=begun) if begun else ReviewForm(service=service, round=run.round)
    form.run, form.reviewer = run, reviewer
    if form.state == ReviewForm.State.SUBMITTED and form.event_id is None:
        history.write_first(form)  # an adjudicator decides again
    _fill(form, fields, revision=run.revision)
    form.before = remember(run) | {
        "blind": blindness.reviews_blind(run, reviewer),
        "judged_blind": blindness.judges_blind(run, reviewer),
    }
    form.state = ReviewForm.State.SUBMITTED
    return form


def _correct(run: Run, form: ReviewForm, *, keep: bool) -> None:
    """The record with the corrected values is the next revision, by this person; a rejected one stays as it is.

    keep: whether the review takes effect; else its corrections are only looked through.
    """
    if not form.values:
        return
    draft = Draft.objects.get(run=run, revision=run.revision)
    content = corrected(run.flow, draft.content, form.values)
    if keep and content != draft.content and form.decision != Decision.REJECT:
        form.corrected = keep_corrected(draft, content, form.values, author=form.reviewer)
        run.revision = form.corrected.revision


def _fill(form: ReviewForm, fields: Fields, *, revision: int) -> None:
    for name in fields.__dataclass_fields__:
        setattr(form, name, getattr(fields, name))
    form.revision = revision


def _wait(run: Run, form: ReviewForm, others: Sequence[ReviewForm], *, disagree: bool) -> None:
    """The run stays up for review: for the next reviewer, or for who decides between them.

    It waits from now on, so that whoever has reviewed it does not walk past it on the way to what came up before.
    A service's review changes nothing.
    """
    if form.reviewer_id is None:
        return
    run.reviews_done, run.reviewers_disagree, run.changed_at = len(others) + 1, disagree, clock.now()
    run.save(update_fields=["reviews_done", "reviewers_disagree", "changed_at"])


def _decide(run: Run, form: ReviewForm, others: Sequence[ReviewForm]) -> None:
    """Summary, place in the window, corrected subcategory, next status. The judge's own verdict is left alone.

    others: the reviews before, of a run that needs several.
    """
    assert form.submitted_at is not None
    several = run.needs_several
    if several and not run.reviewers_disagree:
        run.latest_review = summaries.of_forms([*others, form])
        run.reviews_done = len(others) + 1
    else:
        run.latest_review = summaries.of_form(form)
    run.reviewers_disagree = False
    if form.event is not None and form.event.source == ReviewEvent.Source.PERSON:
        _place_in_window(run, form.event)
    if form.subcategory_id not in (None, run.subcategory_id):
        run.subcategory, run.subcategory_corrected = form.subcategory, True
    if form.decision in DECIDED:
        run.status, run.changed_at = DECIDED[Decision(form.decision)], form.submitted_at
    run.save(update_fields=DECIDES)
    if form.decision in DECIDED:
        status_changed(run.pk, run.status, run.round)
    else:
        start_round(run.pk)
    if several:
        history.recount(run.pk)  # all that waited with it count from now on, that the run waits no more
    if form.decision not in DECIDED:
        run.refresh_from_db()


def _place_in_window(run: Run, event: ReviewEvent) -> None:
    """What `history.recount` would find, without reading the history again."""
    newest = run.last_reviewed_at, run.last_review_event_id
    if None in newest or newest < (event.created_at, event.pk):
        run.last_reviewed_at, run.last_review_event_id = event.created_at, event.pk
