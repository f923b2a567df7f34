"""Why a run waits for a person: facts for filters, and their words for lists."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from generation.models import JudgeOutcome, Run, Status
from generation.verdicts import OUTCOMES, detail


@dataclass(frozen=True)
class Why:
    """The facts, as the run has them. `sent_back_by`: whose `revise` started this round."""

    status: str
    judge_outcome: str
    suspicion: str
    round: int
    detail: str = ""  # of the error that the run ended with, in plain words where nobody could judge
    sent_back_by: str = ""
    reviews_done: int = 0  # of reviews_needed, where several people review it
    reviews_needed: int = 1
    disagree: bool = False

    @classmethod
    def of(cls, run: Run) -> "Why":
        review = run.latest_review or {}
        sent_back = run.round > 1 and review.get("decision") == "revise"
        return cls(
            status=run.status,
            judge_outcome=run.judge_outcome,
            suspicion=run.suspicion,
            round=run.round,
            detail=detail(run),
            sent_back_by=str(review.get("reviewer", "")) if sent_back else "",
            reviews_done=run.reviews_done,
            reviews_needed=run.reviews_needed or 1,
            disagree=run.reviewers_disagree,
        )

    def parts(self) -> list[str]:
        """The reasons in words, the most urgent first; never empty."""
        spoken = [self._reviewers(), self.suspicion, self._ended(), self._round()]
        return [part for part in spoken if part] or [self._judged()]

    def __str__(self) -> str:
        return ". ".join(self.parts())

    def _reviewers(self) -> str:
        if self.disagree:
            return _("Reviewers disagree")
        if not self.reviews_done:
            return ""
        return _("Waits for review %(next)d of %(all)d") % {
            "next": self.reviews_done + 1,
            "all": self.reviews_needed,
        }

    def _ended(self) -> str:
        if self.status == Status.FAILED and self.judge_outcome == JudgeOutcome.UNAVAILABLE:
            return _("Failed. %(detail)s") % {"detail": self.detail}
        if self.status == Status.FAILED:
            return _("Failed: %(detail)s") % {"detail": self.detail} if self.detail else _("Failed")
        if self.status == Status.NEEDS_HUMAN_REVIEW:
            return self.detail or self._judged()
        return ""

    def _round(self) -> str:
        if self.round < 2:
            return ""
        if self.sent_back_by:
            return _("Round %(round)d, sent back by %(name)s") % {"round": self.round, "name": self.sent_back_by}
        return _("Round %(round)d") % {"round": self.round}

    def _judged(self) -> str:
        return str(OUTCOMES.get(self.judge_outcome, _("Waiting for a person")))
