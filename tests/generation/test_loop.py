"""The loop alone: how many times, in which order, and how it ends, for every policy."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from generation.flows.base import LoopPolicy, NoDraft
from generation.judges.base import Judged
from generation.loop import loop

ITEM = LoopPolicy(fixes=2, exhausted="needs_human_review", unavailable="escalate")
WORDS: dict[str, Literal["passed", "failed", "unavailable"]] = {"p": "passed", "f": "failed", "u": "unavailable"}


class Script:
    """Steps that judge by a script of letters and write down what they were asked."""

    def __init__(self, script: str) -> None:
        self.script, self.told = script, ""

    def draft(self, cycle: int, judged: Judged | None) -> None:
        self.told += f"d{cycle}"
        assert judged is None or judged.feedback == f"of {cycle - 1}"  # the newest judgement, and no older one

    def judge(self, cycle: int, *, fixable: bool) -> Judged:
        self.told += f"j{cycle}{'' if fixable else '!'}"
        return Judged(WORDS[self.script[cycle - 1]], f"of {cycle}")


def told(script: str, *, fixes: int = 2, unavailable: Literal["escalate", "spend_cycle"] = "escalate") -> str:
    steps = Script(script)
    loop(steps, LoopPolicy(fixes, "failed", unavailable), fixes)
    return steps.told


@pytest.mark.parametrize(
    ("script", "fixes", "asked"),
    [
        ("p", 2, "d1j1"),
        ("fp", 2, "d1j1d2j2"),
        ("ffp", 2, "d1j1d2j2d3j3!"),
        ("fff", 2, "d1j1d2j2d3j3!"),
        ("f", 0, "d1j1!"),
        ("ff", 1, "d1j1d2j2!"),
    ],
)
def test_fixes_mean_one_judgement_more(script: str, fixes: int, asked: str) -> None:
    assert told(script, fixes=fixes) == asked


def test_an_unavailable_judge_is_asked_again_without_a_correction() -> None:
    assert told("ufp", unavailable="spend_cycle") == "d1j1j2d3j3!"


@pytest.mark.parametrize(
    ("script", "policy", "status", "outcome", "code"),
    [
        ("p", {}, "awaiting_review", "passed", None),
        ("fp", {}, "awaiting_review", "corrected", None),
        ("fff", {}, "needs_human_review", "needs_human_review", "fixes_exhausted"),
        ("fff", {"exhausted": "failed"}, "failed", "failed", "fixes_exhausted"),
        ("u", {}, "needs_human_review", "unavailable", "judge_unavailable"),
        ("fu", {}, "needs_human_review", "unavailable", "judge_unavailable"),
        ("u", {"unavailable": "fail"}, "failed", "unavailable", "judge_unavailable"),
        ("up", {"unavailable": "spend_cycle"}, "awaiting_review", "corrected", None),
        ("uuu", {"unavailable": "spend_cycle"}, "needs_human_review", "unavailable", "judge_unavailable"),
        (
            "uff",
            {"unavailable": "spend_cycle", "exhausted": "failed"},
            "failed",
            "failed",
            "fixes_exhausted",
        ),
        ("fu", {"unavailable": "fail"}, "failed", "unavailable", "judge_unavailable"),
    ],
)
def test_every_ending_says_why(
    script: str, policy: dict[str, Any], status: str, outcome: str, code: str | None
) -> None:
    rules = replace(ITEM, **policy)
    ending = loop(Script(script), rules, rules.fixes)
    assert (ending.status, ending.judge_outcome) == (status, outcome)
    assert (ending.error or {}).get("code") == code


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("fff", "failed 3 judgements; 2 fixes were allowed"),
        ("uff", "failed 2 judgements; 2 fixes were allowed; 1 of 3 cycles went to a judge that could not judge"),
        ("uuf", "failed 1 judgement; 2 fixes were allowed; 2 of 3 cycles went to a judge that could not judge"),
    ],
)
def test_a_cycle_without_a_judgement_is_not_told_as_a_failed_one(script: str, detail: str) -> None:
    ending = loop(Script(script), replace(ITEM, unavailable="spend_cycle"), 2)
    assert ending.error == {"code": "fixes_exhausted", "detail": detail}


def test_the_reason_goes_beside_the_code_where_a_person_is_asked() -> None:
    class Late(Script):
        def judge(self, cycle: int, *, fixable: bool) -> Judged:
            return Judged("unavailable", "timeout: too slow", result={"code": "timeout"})

    ending = loop(Late(""), ITEM, 2)
    assert ending.error == {"code": "judge_unavailable", "detail": "timeout: too slow", "cause": "timeout"}


def test_a_judge_may_say_by_which_code_it_failed() -> None:
    class Broken(Script):
        def judge(self, cycle: int, *, fixable: bool) -> Judged:
            return Judged("unavailable", "no verdict", result={"code": "contract_violation"})

    ending = loop(Broken(""), LoopPolicy(5, "failed", "fail"), 5)
    assert ending.error == {"code": "contract_violation", "detail": "no verdict"}


@pytest.mark.parametrize("unavailable", ["escalate", "spend_cycle", "fail"])
def test_a_judge_that_says_nothing_at_all_leaves_a_reason(
    unavailable: Literal["escalate", "spend_cycle", "fail"],
) -> None:
    class Silent(Script):
        def judge(self, cycle: int, *, fixable: bool) -> Judged:
            return Judged("unavailable")

    ending = loop(Silent(""), LoopPolicy(1, "failed", unavailable), 1)
    assert ending.error == {"code": "judge_unavailable", "detail": "the judge could not judge"}


def test_no_draft_is_the_callers_to_tell() -> None:
    class Empty(Script):
        def draft(self, cycle: int, judged: Judged | None) -> None:
            raise NoDraft("nothing", "there is none")

    with pytest.raises(NoDraft):
        loop(Empty(""), LoopPolicy(2, "failed", "escalate"), 2)
