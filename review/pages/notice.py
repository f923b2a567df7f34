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
    waits: bool  # for other reviewers, or for who decides between them

    @property
    def text(self) -> str:
        if self.waits:
            return _("Your review of %s is in; it waits for the others.") % (self.run.title or self.run.short_id)
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
    if form is None:
        return None
    waits = form.run.needs_several and form.round == form.run.round and form.run.reviews_done > 0
    return Notice(form.run, form.decision, form.event_id is not None, waits)
