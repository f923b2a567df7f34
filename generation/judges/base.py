"""What every judge returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generation.flows.base import Finding
from generation.models import Call


@dataclass(frozen=True)
class Judged:
    """One judging. feedback: for the next fix, in words; result: all that the judge said, as JSON.

    unavailable is neither passed nor failed: the judge could not judge, and feedback says why.
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
