"""What the judge found, kept from those who are to review a run without knowing it."""

from django.contrib.auth.models import User
from django.db.models import Case, F, Q, Value, When

from generation.models import JudgeOutcome, Run, Status
from generation.models.run import IN_PROGRESS, UP_FOR_REVIEW

# The status of a run to those who must not know whether the judge escalated it.
SHOWN_STATUS = Case(
    When(Q(blind_to_judge=True) & UP_FOR_REVIEW, then=Value(Status.AWAITING_REVIEW.value)), default=F("status")
)


def judge_hidden(run: Run, user: User | None) -> bool:
    """Whether this person must not know yet: until they have submitted. A service reviews nobody's way: it may."""
    if not run.blind_to_judge or user is None or run.is_decided:
        return False
    if run.status in IN_PROGRESS:
        return True
    if not run.is_up_for_review:
        return False
    # Named as text, since generation knows no review: the relation that review adds to runs.
    forms = Run.objects.filter(pk=run.pk, review_forms__reviewer=user, review_forms__state="submitted")
    return not forms.filter(review_forms__round=run.round, review_forms__revision=run.revision).exists()


def without_judge(run: Run) -> Run:
    """The same object as if the judge had said nothing, to be shown and never to be saved."""
    if run.is_up_for_review:
        run.status, run.error = Status.AWAITING_REVIEW, None
    run.judge_outcome = JudgeOutcome.PENDING
    return run
