"""The criteria judge: form and completeness by rule, the rest by a model beside the source; all must pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from generation.flows.base import Finding
from generation.judges.base import Judged
from generation.judges.criterion import LONGEST_REASON, SEVERITIES, Answer, Criterion, Malformed, Severity, read
from generation.judges.quoting import texts_in
from generation.models import Call, Draft, Judgement
from generation.providers.base import ProviderError
from generation.work import Work

__all__ = ["Answer", "feedback", "judge_with", "read"]

UNREADABLE = frozenset({"malformed", "truncated"})  # what a provider says of an answer that is none

# What a flow knows without asking: (content, source) → findings; none where all is well.
Rule = Callable[[Mapping[str, Any], Mapping[str, Any]], list[Finding]]


def judge_with(
    *, form: Rule, counted: Rule, stage: str = "judge", target: str = "editorial"
) -> Callable[[Work, Draft], Judged]:
    """The judge of a flow. form: the criterion format; counted: the countable part of content_completeness.

    The model is asked also where form is wrong, so that one revision hears everything. What it says of the
    whole is never read: a draft passes where every criterion does.
    """

    def judge(work: Work, draft: Draft) -> Judged:
        content, source = draft.content, work.run.source
        wrong, lacking = form(content, source), counted(content, source)
        ruled = (_ruled("format", wrong, "critical"), _ruled("content_completeness", lacking, "major"))
        answered = _ask(work, draft, stage)
        if isinstance(answered, Judged):
            known = [asdict(one) for one in ruled if not one.passed]
            return replace(answered, result={"criteria": known, **answered.result})
        asked, call = answered
        criteria = _together(ruled, asked)
        failed = [one for one in criteria if not one.passed]
        return Judged(
            "failed" if failed else "passed",
            "\n".join(one.line for one in (*ruled, *asked) if not one.passed),
            (*wrong, *lacking, *_findings(asked, content)),
            {"criteria": [asdict(one) for one in criteria]},
            target,
            call,
        )

    return judge


def _ask(work: Work, draft: Draft, stage: str) -> tuple[list[Criterion], Call] | Judged:
    """The model's criteria, or that it could not judge: an unreadable answer is asked for once more."""
    call, problem, code = None, "", ""
    for number in (1, 2):
        again = f"The last answer could not be used: {problem}." if problem else ""
        try:
            call = work.ask(stage, number=number, draft=draft, feedback=again)
            return read(call.answer, texts_in([draft.content, work.run.source])), call
        except Malformed as error:
            problem, code = str(error), error.code
        except ProviderError as error:
            problem, code = f"{error.code}: {error.detail}", error.code
            if error.code not in UNREADABLE:
                if error.retryable and not work.last_try:
                    raise
                break
    return Judged("unavailable", problem, result={"code": code}, call=call)


def _ruled(name: str, findings: Sequence[Finding], severity: Severity) -> Criterion:
    if not findings:
        return Criterion(name, passed=True)
    said = "; ".join(f"{one['field']}: {one['detail']}" if one["field"] else one["detail"] for one in findings)
    return Criterion(name, passed=False, reason=said[:LONGEST_REASON], severity=severity)


def _together(ruled: Sequence[Criterion], asked: Sequence[Criterion]) -> list[Criterion]:
    """One verdict per criterion: what was counted and what was asked both have to pass."""
    criteria = {one.criterion: one for one in ruled}
    for one in asked:
        before = criteria.get(one.criterion)
        criteria[one.criterion] = one if before is None or before.passed else _both(before, one)
    return list(criteria.values())


def _both(counted: Criterion, asked: Criterion) -> Criterion:
    if asked.passed:
        return counted
    gravest = next(one for one in SEVERITIES if one in (counted.severity, asked.severity))
    return replace(asked, reason=f"{counted.reason}; {asked.reason}", severity=gravest)


def _findings(asked: Sequence[Criterion], content: Mapping[str, Any]) -> list[Finding]:
    return [
        {
            "field": one.field if _is_in(content, one.field) else "",
            "code": one.criterion,
            "severity": "warning" if one.severity == "minor" else "error",
            "detail": one.line,
        }
        for one in asked
        if not one.passed
    ]


def _is_in(content: Any, pointer: str) -> bool:
    """Whether a JSON pointer leads somewhere."""
    if not pointer.startswith("/"):
        return False
    for key in pointer[1:].split("/"):  # no field of a record has a sign that a pointer would escape
        if isinstance(content, list) and key.isdecimal() and int(key) < len(content):
            content = content[int(key)]
        elif isinstance(content, Mapping) and key in content:
            content = content[key]
        else:
            return False
    return True


def feedback(judgements: Sequence[Judgement]) -> str:
    """What the next draft is told: the last attempt's title and failed criteria, then those of the attempts
    before it; each reason once, also where several attempts earned it. judgements: of one round, oldest first.
    """
    parts: list[str] = []
    said: set[str] = set()
    for judgement in reversed(judgements):
        failed = [line for line in _failed(judgement.result) if line not in said]
        said.update(failed)
        if failed:
            which = "An earlier attempt" if parts else "The last attempt"
            lines = "\n".join(f"- {line}" for line in failed)
            parts.append(f"{which}{_titled(judgement.draft)} failed:\n{lines}")
    return "\n\n".join(parts)


def _failed(result: Mapping[str, Any]) -> list[str]:
    return [Criterion(**one).line for one in result.get("criteria", ()) if not one["passed"]]


def _titled(draft: Draft | None) -> str:
    title = draft.content.get("title") if draft else None
    return f', titled "{" ".join(title.split())[:200]}",' if isinstance(title, str) and title.strip() else ""
