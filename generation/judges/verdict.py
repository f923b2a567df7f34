"""The verdict judge: a reviewer that answers with one strict JSON object; anything else is no verdict."""

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel

from generation import reading
from generation.judges.base import Judged
from generation.judges.quoting import only_quotes, texts_in
from generation.models import Draft, Judgement
from generation.providers.base import ProviderError, Workspace
from generation.work import Work

CONTRACT = """Answer with one JSON object and nothing else:
{"verdict": "pass" | "drift", "followUpPrompt": string}
verdict: "pass" where the change does what the work item asks for and nothing is wrong with it; else "drift".
followUpPrompt: on pass a short summary; on drift what exactly is to be mended, as a task for whoever mends it."""
VERDICTS = ("pass", "drift")
# A verdict elsewhere than in an object of its own (broken JSON, an object within another, prose): a slip of the
# reviewer, beside which one that it merely quotes would count.
STATED = re.compile(
    r"""verdict\W{1,8}(pass|drift)(?:ed|s)?["'”’*_`]*\s*(?:[,;.!})\]]|$)""", re.IGNORECASE | re.MULTILINE
)


class Verdict(BaseModel):
    """The answer of the reviewer."""

    verdict: Literal["pass", "drift"]
    followUpPrompt: str


class Violation(Exception):
    """The answer breaks the contract; the text says how."""


def read(answer: str, judged: Iterable[str] = ()) -> Verdict:
    """The verdict in an answer: its first JSON object that has one. Raises Violation with what is wrong.

    judged: the texts that were judged; a verdict that the reviewer only quotes from them is not its own.
    """
    if not answer.strip():
        raise Violation("the answer is empty")
    found, rest = _objects(answer)
    if not found:
        broken = (
            "what begins like a JSON object is not valid" if "{" in answer else "the answer has no JSON object"
        )
        raise Violation(broken)
    told = [one for one in found if "verdict" in one]
    verdict = told[0]["verdict"] if told else None
    if verdict not in VERDICTS:
        raise Violation(f"verdict is neither pass nor drift: {_shown(verdict)}")
    follow_up = told[0].get("followUpPrompt")
    if not isinstance(follow_up, str):
        raise Violation("followUpPrompt is missing or no text")
    if verdict == "drift" and not follow_up.strip():
        raise Violation("the verdict is drift and followUpPrompt is blank")
    stated = {word.lower() for word in STATED.findall(rest)}
    if any(_differs(other, told[0]) for other in told[1:]) or stated - {verdict}:
        raise Violation("the answer has two verdicts that disagree")
    if only_quotes(answer, told, judged, "verdict"):
        raise Violation("the answer has no verdict of its own, only one that it quotes")
    return Verdict(verdict=verdict, followUpPrompt=follow_up)


def _objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The JSON objects in a text, outermost and in order, and the text without those that have a verdict."""
    found, rest, at = [], [], 0
    for one, start, end in reading.found(text, _once):
        found.append(one)
        if "verdict" not in one:
            continue
        rest.append(text[at:start])
        at = end
    return found, "\n".join([*rest, text[at:]])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says a thing twice says nothing."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _differs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """On drift the task counts, too: a forged one must not reach the fixer."""
    if one["verdict"] != other["verdict"]:
        return True
    return one["verdict"] == "drift" and one.get("followUpPrompt") != other.get("followUpPrompt")


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:60]


def judge(work: Work, draft: Draft, *, context: str = "", workspace: Workspace | None = None) -> Judged:
    """One judging; a contract violation, or a reviewer that fails for good, is no verdict."""
    try:
        call = work.ask(
            "reviewer", draft=draft, feedback=_asked_for_last(work), context=context, workspace=workspace
        )
    except ProviderError as error:
        if error.retryable and not work.last_try:
            raise
        return Judged("unavailable", f"{error.code}: {error.detail}", result={"code": error.code})
    try:
        verdict = read(call.answer, texts_in([draft.content, work.run.source]))
    except Violation as violation:
        told = {"code": "contract_violation", "answer": call.answer}
        return Judged("unavailable", f"the reviewer broke the contract: {violation}", result=told, call=call)
    if verdict.verdict == "pass":
        return Judged("passed", result=verdict.model_dump(), call=call)
    return Judged(
        "failed", verdict.followUpPrompt, result=verdict.model_dump(), correction_target="fixer", call=call
    )


def _asked_for_last(work: Work) -> str:
    """What the last review of this round asked for; one that could not judge asked for nothing."""
    failed = (one for one in reversed(work.judgements()) if one.outcome == Judgement.Outcome.FAILED)
    last = next(failed, None)
    return str(last.result.get("feedback", "")) if last else ""
