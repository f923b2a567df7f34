"""A demo run to its end: generated, reviewed by rules, and once more where they ask for it."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User

from generation.models import Run
from generation.new_run import UNDRAWN
from generation.pipeline import generate
from review.models import Decision
from review.recording import Fields, submit

Rules = Callable[[dict[str, Any], bool], Fields]  # (record, whether it is the last round) → the form


def to_the_end(run: Run, review: Rules, person: User) -> str:
    """The first decision, or the status of a run that never came up for review. It has no part in the holdout."""
    first = ""
    Run.objects.filter(pk=run.pk).update(**UNDRAWN)
    for last_round in (False, True):
        generate(run.id)
        run.refresh_from_db()
        if not run.is_up_for_review:
            return first or run.status
        fields = review(run.drafts.get(revision=run.revision).content, last_round)
        # One reviewer by rules, whatever this installation asks of its people.
        Run.objects.filter(pk=run.pk).update(reviews_needed=1, four_eyes=False, blind_to_judge=False)
        submit(run.id, fields, reviewer=person)
        first = first or fields.decision
        if fields.decision != Decision.REVISE:
            break
    return first
