"""Who may know how a run was made: who still has to judge a round must not know what its prompt said."""

from django.contrib.auth.models import User

from generation.models import Run
from review.groups import CAN_STEER
from review.models import ReviewEvent


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
