"""The supervisor: a plain-text judge whose first word is PASS or FAIL."""

import re
from typing import Literal

from generation.judges.base import UNUSABLE, Judged
from generation.models import Draft
from generation.providers.base import ProviderError
from generation.work import Work

FIRST_WORD = re.compile(r"[\W_]*(pass|fail)(?![^\W_])[\s*_:;,.!–—-]*", re.IGNORECASE)
BOTH = re.compile(
    r"[\W_]*(?:pass|fail)[*_]*(?:[ \t]*[/|\\][ \t]*|-|[ \t]+(?:or|oder)[ \t]+)[*_]*(?:pass|fail)(?![^\W_])",
    re.IGNORECASE,
)
LONGEST_FEEDBACK = 6000  # characters; what a fix can still use


def read(answer: str) -> tuple[Literal["passed", "failed", "unavailable"], str]:
    """The outcome and the feedback in an answer: PASS or FAIL as its first word, in any case, bold or not.

    "PASS/FAIL:" repeats the question and is neither.
    """
    found = FIRST_WORD.match(answer)
    if found is None or BOTH.match(answer):
        return "unavailable", "the answer begins with neither PASS nor FAIL"
    if found.group(1).lower() == "pass":
        return "passed", ""
    return "failed", answer[found.end() :].strip()[:LONGEST_FEEDBACK] or "The record was failed without a reason."


def judge(work: Work, draft: Draft) -> Judged:
    """One judging; a provider that fails for good makes the supervisor unavailable."""
    try:
        call = work.ask("supervisor", draft=draft)
    except ProviderError as error:
        if error.retryable and not work.last_try:
            raise
        return Judged("unavailable", f"{error.code}: {error.detail}", result={"code": error.code})
    outcome, feedback = read(call.answer)
    result = {"answer": call.answer} | ({"code": UNUSABLE} if outcome == "unavailable" else {})
    return Judged(outcome, feedback, result=result, correction_target="extraction", call=call)
