"""One criterion, judged, and how a model's answer about all of them is read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

from generation.judges.base import INCOMPLETE, UNUSABLE
from generation.judges.quoting import only_quotes
from generation.reading import objects

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor")  # the gravest first
Name = Literal["hallucination", "fact_accuracy", "content_completeness"]
ASKED: tuple[Name, ...] = ("hallucination", "fact_accuracy", "content_completeness")
LONGEST_REASON = 1500  # characters; what a revision can still use


class Given(BaseModel):
    """One criterion as the model answers it; the reason comes before what follows from it."""

    criterion: Name
    reason: str
    field: str = Field(description="JSON pointer to the worst place in the draft, /blocks/2/text; empty: none")
    severity: Severity | None = Field(description="of a failed criterion; null where it passed")
    passed: bool


class Answer(BaseModel):
    criteria: list[Given]


@dataclass(frozen=True)
class Criterion:
    """One criterion, judged. field: where in the record, as the model named it."""

    criterion: str
    passed: bool
    reason: str = ""
    severity: Severity | None = None
    field: str = ""

    @property
    def line(self) -> str:
        return f"{self.criterion.replace('_', ' ')} ({self.severity}): {self.reason}"


class Malformed(ValueError):
    """An answer that holds what nobody asked for, or nothing of it."""

    code = UNUSABLE


class LeftOut(Malformed):
    """An answer without one of the criteria."""

    code = INCOMPLETE


def read(answer: str, judged: Iterable[str] = ()) -> list[Criterion]:
    """The asked criteria in an answer, each exactly once. Raises Malformed.

    judged: the texts that were judged. They may carry a verdict that the model merely quotes: two that disagree
    are none, and one that it only quotes is not its own.
    """
    told = [one for one in objects(answer) if "criteria" in one]
    if not told:
        raise Malformed("it has no JSON object with criteria")
    if only_quotes(answer, told, judged, "criteria"):
        raise Malformed("it has no criteria of its own, only those of the text that it quotes")
    found = [_criteria(one["criteria"]) for one in told]
    if any(_verdict(one) != _verdict(found[0]) for one in found[1:]):
        raise Malformed("it holds two verdicts that disagree")
    return found[0]


def _criteria(listed: Any) -> list[Criterion]:
    if not isinstance(listed, list):
        raise Malformed("criteria is no list")
    found: dict[str, Criterion] = {}
    for given in listed:
        one = _criterion(given)
        if one.criterion in found:
            raise Malformed(f"{one.criterion} is there twice")
        found[one.criterion] = one
    if left_out := [name for name in ASKED if name not in found]:
        raise LeftOut(f"it leaves out {', '.join(left_out)}")
    return [found[name] for name in ASKED]  # what it says of the format was settled without it


def _criterion(given: Any) -> Criterion:
    if not isinstance(given, dict):
        raise Malformed("a criterion is no object")
    name = "_".join(str(given.get("criterion")).casefold().replace("_", " ").replace("-", " ").split())
    if name not in (*ASKED, "format"):
        raise Malformed(f"{name[:40]!r} is no criterion")
    passed, reason, severity = given.get("passed"), given.get("reason"), given.get("severity")
    if not isinstance(passed, bool):
        raise Malformed(f"passed of {name} is neither true nor false")
    if passed:
        return Criterion(name, passed=True, reason=_short(reason))
    if not _short(reason):
        raise Malformed(f"{name} failed without a reason")
    known = next((one for one in SEVERITIES if one == str(severity).strip().casefold()), None)
    if known is None:
        raise Malformed(f"severity of {name} is none of {', '.join(SEVERITIES)}")
    return Criterion(
        name, passed=False, reason=_short(reason), severity=known, field=str(given.get("field") or "")
    )


def _short(reason: Any) -> str:
    return " ".join(reason.split())[:LONGEST_REASON] if isinstance(reason, str) else ""


def _verdict(criteria: Iterable[Criterion]) -> dict[str, bool]:
    return {one.criterion: one.passed for one in criteria}
