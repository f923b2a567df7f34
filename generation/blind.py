"""What the judge found, kept from those who are to review a run without knowing it.

The one rule: while a run hides its judge (`HIDES_JUDGE`), a person who has not submitted sees it as
`without_judge` has it. Lists, filters, searches and counts, of many runs at once, show it so to everybody
(`Run.shown_status`, `shown_outcome`).
"""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from generation.models import Draft, JudgeOutcome, Run, Status
from generation.models.run import HIDES_JUDGE

UNJUDGED = (Status.QUEUED, Status.GENERATING)  # statuses that tell nothing of a judge


def judge_hidden(run: Run, user: User | None) -> bool:
    """Whether this person must not know yet: until they have submitted. A service reviews nobody's way: it may."""
    if user is None or not run.hides_judge:
        return False
    if run.is_in_progress:
        return True
    # Named as text, since generation knows no review: the relation that review adds to runs.
    forms = Run.objects.filter(pk=run.pk, review_forms__reviewer=user, review_forms__state="submitted")
    return not forms.filter(review_forms__round=run.round, review_forms__revision=run.revision).exists()


def without_judge(run: Run) -> Run:
    """The same object as if the judge had said nothing, to be shown and never to be saved."""
    if run.has_record_to_review:
        run.status, run.error = Status.AWAITING_REVIEW, None
    elif run.status in (Status.REVIEWING, Status.FIXING):
        run.status = Status.GENERATING
    run.judge_outcome = JudgeOutcome.PENDING
    return run


def shown_outcome(value: str) -> Q:
    """Runs of this judge's outcome, as lists show it."""
    known = Q(judge_outcome=value) & ~HIDES_JUDGE
    return known | HIDES_JUDGE if value == JudgeOutcome.PENDING else known


def drafts_seen(run: Run, user: User | None) -> "QuerySet[Draft]":
    """The drafts that this person may know: no corrections that were taken back while others still review the run,
    and where the judge is hidden none but the newest: that it was mended says what the judge found.
    """
    drafts = Draft.objects.filter(run=run)
    if judge_hidden(run, user):
        return drafts.filter(revision=run.revision)
    return drafts.filter(revision__lte=run.revision) if user is not None and run.needs_several else drafts
