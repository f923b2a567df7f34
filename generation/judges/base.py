"""What every judge returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generation.flows.base import Finding
from generation.models import Call

UNUSABLE = "unusable_judgement"  # an answer that is no judgement
INCOMPLETE = "incomplete_judgement"  # one that leaves a part out


@dataclass(frozen=True)
class Judged:
    """One judging. feedback: for the next fix, in words; result: all that the judge said, as JSON.

    unavailable is neither passed nor failed: the judge could not judge. feedback says why, and result["code"] for
    pages: a provider's code, UNUSABLE, INCOMPLETE, or one of the judge's own.
    correction_target: what a fix makes anew; kept where one follows.
    """

    outcome: Literal["passed", "failed", "unavailable"]
    feedback: str = ""
    findings: tuple[Finding, ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    correction_target: str = ""
    call: Call | None = None

    def as_json(self) -> dict[str, Any]:
        return {**self.result, "feedback": self.feedback, "findings": list(self.findings)}
