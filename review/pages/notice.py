"""What stands at the top after submitting: the decision, the way back, what learning took from it."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from generation.models import Run
from review.models import Decision, ReviewForm


@dataclass(frozen=True)
class Notice:
    run: Run
    decision: str
    in_history: bool

    @property
    def text(self) -> str:
        words = {
            Decision.APPROVE: _("Approved %s."),
            Decision.REVISE: _("Sent %s back."),
            Decision.REJECT: _("Rejected %s."),
        }
        return words[Decision(self.decision)] % (self.run.title or self.run.short_id)

    @property
    def icon(self) -> str:
        return {Decision.APPROVE: "i-check", Decision.REVISE: "i-return"}.get(Decision(self.decision), "i-cross")


def notice(run_id: str, user: User) -> Notice | None:
    """The reviewer's own latest review of that run; None where there is none (it was undone)."""
    try:
        wanted = UUID(run_id)
    except ValueError:
        return None
    forms = ReviewForm.objects.filter(run=wanted, reviewer=user, state=ReviewForm.State.SUBMITTED)
    form = forms.select_related("run__subcategory").order_by("-submitted_at").first()
    return Notice(form.run, form.decision, form.event_id is not None) if form else None
