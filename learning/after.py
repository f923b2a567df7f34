"""What a review moved: the strips of its subcategory, told once the review is submitted."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from generation.models import Run
from learning.strips import Strip, strips
from learning.switches import is_off
from learning.triggers import decide
from learning.window import window
from review.blindness import open_rounds


@dataclass(frozen=True)
class After:
    """The strips of the run's subcategory that it raised, with its own cell marked.

    counts: whether the run stands in the window; waits: whether it will once its round is decided.
    """

    run: Run
    moved: list[Strip]
    low_confidence: bool
    off: bool
    counts: bool
    waits: bool


def after(run: Run, user: User) -> After | str:
    """What the review moved, or why nothing is told, in words."""
    if not open_rounds(user, run):
        return _("What learning makes of it is shown once you have reviewed it.")
    if run.subcategory is None:
        return _("Without a subcategory a run teaches nothing.")
    seen = window(run.flow, run.subcategory_id)
    triggers = decide(seen)
    return After(
        run=run,
        moved=[strip for strip in strips(seen, triggers, new=run.pk) if strip.moved],
        low_confidence=triggers.low_confidence,
        off=is_off(run.subcategory_id),
        counts=any(one.run_id == run.pk for one in seen.runs),
        waits=run.is_up_for_review and run.reviews_from is not None,
    )
