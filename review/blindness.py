"""Who may know what of a run: how it was made, what others say of it, and what the judge found.

Who still has to judge a round must not know what its prompt said. Where several people review a run, none knows
what the others say before it is decided; nor, where an admin says so, what the judge found before they submit.
"""

from collections.abc import Iterable
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import F

from generation.blind import judge_hidden, without_judge
from generation.models import Run
from review.groups import CAN_STEER
from review.models import ReviewEvent, ReviewForm
from review.panel import adjudicates


def open_rounds(user: User, run: Run) -> set[int]:
    """Rounds whose prompts this person may see: all once it is decided, else those that they have reviewed."""
    if run.is_decided:
        return set(range(1, run.round + 1))
    own = ReviewEvent.objects.standing().filter(run=run, reviewer=user)
    return set(own.values_list("round", flat=True))


def shown_rounds(user: User, run: Run) -> set[int]:
    """Rounds whose calls this person may see, with tokens and cost: a guided prompt is longer than others.

    Those that are open to them; all of a run that nobody has to review to whoever may cancel and retry it.
    """
    if user.has_perm(CAN_STEER) and not run.has_record_to_review:
        return set(range(1, run.round + 1))
    return open_rounds(user, run)


def reviews_blind(run: Run, reviewer: User | None) -> bool:
    """Whether a review given now is blind: to the other reviewers, or to the judge. An adjudicator's is not."""
    if reviewer is None or not run.is_up_for_review or run.reviewers_disagree:
        return False
    return run.needs_several or run.blind_to_judge


def judges_blind(run: Run, reviewer: User | None) -> bool:
    """Whether a review given now is blind to the judge: it is evidence of how well the judge judges."""
    return run.blind_to_judge and reviews_blind(run, reviewer)


def sees_reviews(run: Run, user: User) -> bool:
    """Whether this person may see all reviews of the run: once it is decided, or to decide it."""
    return not run.needs_several or adjudicates(run, user)


def sees_judge(run: Run, user: User) -> bool:
    return adjudicates(run, user) or not judge_hidden(run, user)


def as_seen(run: Run, user: User) -> Run:
    """The run as this person may see it, for a page: never to be saved."""
    return run if sees_judge(run, user) else without_judge(run)


def judge_seen(runs: Iterable[Run], user: User | None) -> set[UUID]:
    """Those of these runs whose judge this person may know. One query, and none where no run hides it."""
    found = list(runs)
    hidden = [run.pk for run in found if run.hides_judge]
    if user is not None and hidden:
        forms = ReviewForm.objects.filter(run__in=hidden, reviewer=user, state=ReviewForm.State.SUBMITTED)
        of_this = forms.filter(round=F("run__round"), revision=F("run__revision"))
        submitted = set(of_this.values_list("run", flat=True))
        hidden = [pk for pk in hidden if pk not in submitted]
    return {run.pk for run in found} - set(hidden)
