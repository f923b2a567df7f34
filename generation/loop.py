"""The one bounded loop: a draft, made and validated → judge → route → revise, until passed or exhausted.

It knows no flow and no judge: `Steps` makes and judges, the flow's `LoopPolicy` says how it ends.
"""

from dataclasses import dataclass
from typing import Protocol

from generation.flows.base import LoopPolicy
from generation.judges.base import Judged
from generation.models import JudgeOutcome, Status


@dataclass(frozen=True)
class Ending:
    """How a round ends: always a final status, with a reason wherever it is not plain success."""

    status: Status
    judge_outcome: JudgeOutcome
    error: dict[str, str] | None = None


class Steps(Protocol):
    def draft(self, cycle: int, judged: Judged | None) -> None:
        """Have this cycle's draft, made and validated; `judged` is the newest judgement, and no older one.

        Raises NoDraft.
        """

    def judge(self, cycle: int, *, fixable: bool) -> Judged:
        """Judge the draft and keep the judgement; fixable: a failed one will be followed by a fix."""
        ...


def loop(steps: Steps, policy: LoopPolicy, fixes: int) -> Ending:
    """Run one round: at most `fixes` fixes, hence fixes + 1 judgements."""
    judged: Judged | None = None
    unjudged = 0
    for cycle in range(1, fixes + 2):
        if judged is None or judged.outcome == "failed":
            steps.draft(cycle, judged)
        judged = steps.judge(cycle, fixable=cycle <= fixes)
        if judged.outcome == "passed":
            outcome = JudgeOutcome.PASSED if cycle == 1 else JudgeOutcome.CORRECTED
            return Ending(Status.AWAITING_REVIEW, outcome)
        if judged.outcome == "unavailable" and policy.unavailable != "spend_cycle":
            return _unavailable(policy, judged)
        unjudged += judged.outcome == "unavailable"
    assert judged is not None, "fixes is never negative"
    if judged.outcome == "unavailable":
        return _unavailable(policy, judged)
    return _exhausted(policy, fixes, unjudged)


def _unavailable(policy: LoopPolicy, judged: Judged) -> Ending:
    error = {"code": "judge_unavailable", "detail": judged.feedback or "the judge could not judge"}
    if policy.unavailable == "fail":
        error["code"] = str(judged.result.get("code") or error["code"])
        return Ending(Status.FAILED, JudgeOutcome.UNAVAILABLE, error)
    return Ending(Status.NEEDS_HUMAN_REVIEW, JudgeOutcome.UNAVAILABLE, error)


def _exhausted(policy: LoopPolicy, fixes: int, unjudged: int) -> Ending:
    detail = f"failed {fixes + 1 - unjudged} judgements; {fixes} fixes were allowed"
    if unjudged:
        detail += f"; cycles without a judgement: {unjudged}"
    error = {"code": "fixes_exhausted", "detail": detail}
    if policy.exhausted == "failed":
        return Ending(Status.FAILED, JudgeOutcome.FAILED, error)
    return Ending(Status.NEEDS_HUMAN_REVIEW, JudgeOutcome.NEEDS_HUMAN_REVIEW, error)
