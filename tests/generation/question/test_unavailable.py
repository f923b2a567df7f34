"""A judge that could not judge, and every other way out that is no verdict: told, kept, never a pass."""

import json
from typing import Any

import pytest
from django.utils import timezone

from generation import pipeline, runs
from generation.models import Run, Status
from generation.providers.base import ProviderError, Request
from generation.work import MAX_ATTEMPTS
from tests.generation.conftest import generated
from tests.generation.question.making import FAIL, contents, ended, made, queued
from tests.generation.question.records import (
    DIMENSIONS,
    NEW,
    QUESTION,
    WEAKEST,
    question,
    scored,
    scores,
)

pytestmark = pytest.mark.django_db


BAD: list[Any] = [None, "0.9", True, -0.1, 1.1, 70, [], {}]
RUBBISH = [
    "",
    "I would say it is fine.",
    "PASS",
    '{"verdict": "pass"}',
    '{"passed": true}',
    "[]",
    scores()[:-20],
    *(json.dumps({name: one for name, one in scored().items() if name != left_out}) for left_out in DIMENSIONS),
    *(scores(slo_coverage={"score": bad, "feedback": "x"}) for bad in BAD),
    scores() + FAIL,
]


@pytest.mark.parametrize("answer", [one for one in RUBBISH if one])
def test_rubbish_spends_a_cycle_and_is_judged_again_without_a_correction(play: Any, answer: str) -> None:
    scripted = play(judge=[answer, scores()])
    run = made()
    assert ended(run) == ("awaiting_review", "corrected", None)
    assert scripted.stages() == ["question", "judge", "judge"]
    first, second = run.judgements.order_by("cycle")
    assert (first.outcome, first.correction_applied, first.call is not None) == ("unavailable", False, True)
    assert (second.outcome, first.draft, first.result["validation"]["is_valid"]) == ("passed", second.draft, True)


@pytest.mark.parametrize("answer", [one for one in RUBBISH if one])
def test_rubbish_until_the_cycles_are_used_up(play: Any, answer: str) -> None:
    play(judge=answer)
    run = made()
    assert ended(run) == ("needs_human_review", "unavailable", "judge_unavailable")
    assert list(run.judgements.values_list("outcome", flat=True)) == ["unavailable"] * 3
    assert run.drafts.count() == 1


@pytest.mark.parametrize(
    ("judge", "ending", "attempts"),
    [
        (["?", FAIL, scores()], ("awaiting_review", "corrected", None), [1]),
        ([FAIL, "?", scores()], ("awaiting_review", "corrected", None), [1]),
        (["?", "?", scores()], ("awaiting_review", "corrected", None), []),
        (["?", FAIL, FAIL], ("needs_human_review", "needs_human_review", "fixes_exhausted"), [1]),
        ([FAIL, FAIL, "?"], ("needs_human_review", "unavailable", "judge_unavailable"), [1, 2]),
        ([FAIL, "?", "?"], ("needs_human_review", "unavailable", "judge_unavailable"), [1]),
    ],
)
def test_a_spent_cycle_is_no_fix(play: Any, judge: list[str], ending: Any, attempts: list[int]) -> None:
    scripted = play(judge=judge)
    run = made()
    assert ended(run) == ending and run.judgements.count() == 3
    told = [request.user for request in scripted.of("question")[1:]]
    assert [f"Correction attempt: {attempt}\n" in said for attempt, said in zip(attempts, told, strict=True)] == [
        True
    ] * len(attempts)


BROKEN = question(vignette="Short.")
SAID = "the vignette has 6 characters"


def test_a_structural_error_is_mended_once_the_judge_can_judge(play: Any) -> None:
    scripted = play([BROKEN, question()], ["?", scores((1, 1, 1, 1, 1)), scores()])
    run = made()
    assert ended(run) == ("awaiting_review", "corrected", None)
    assert list(run.judgements.order_by("cycle").values_list("outcome", flat=True)) == [
        "unavailable", "failed", "passed",
    ]  # fmt: skip
    [_, fix] = scripted.of("question")
    assert "Make anew: vignette\nCorrection attempt: 1\n" in fix.user and SAID in fix.user


@pytest.mark.parametrize("judge", ["?", ProviderError("refused", "no")])
def test_a_structural_error_without_a_judge_reaches_the_person_and_the_revision(play: Any, judge: Any) -> None:
    """Unavailable and no pass; what the rules found stands all the same, and the next round hears it."""
    scripted = play([BROKEN, question()], [judge, judge, judge, scores()])
    run = made()
    assert ended(run) == ("needs_human_review", "unavailable", "judge_unavailable")
    assert not run.judgements.exclude(outcome="unavailable").exists() and SAID in run.suspicion
    assert all(one.result["validation"]["is_valid"] is False for one in run.judgements.all())
    assert [one["code"] for one in run.drafts.get().findings] == ["short_vignette"]
    runs.start_round(run.id)
    generated(run)
    assert SAID in scripted.of("question")[1].user
    assert ended(run) == ("awaiting_review", "passed", None)


FINAL = ["unauthorized", "bad_request", "refused", "truncated", "not_configured"]
PASSING = ["timeout", "unreachable", "rate_limited", "overloaded", "malformed"]


@pytest.mark.parametrize("code", FINAL)
def test_a_judge_that_fails_for_good_is_unavailable(play: Any, code: str) -> None:
    play(judge=ProviderError(code, "no"))
    run = made()
    assert ended(run) == ("needs_human_review", "unavailable", "judge_unavailable")
    judgements = run.judgements.order_by("cycle")
    assert [(one.outcome, one.call, one.result["code"]) for one in judgements] == [("unavailable", None, code)] * 3


@pytest.mark.parametrize("code", PASSING)
def test_a_passing_error_of_the_judge_waits_and_on_the_last_try_is_unavailable(play: Any, code: str) -> None:
    play(judge=ProviderError(code, "not now", retryable=True))
    run = queued()
    generated(run)
    assert (run.status, run.judgements.count(), run.drafts.count()) == ("queued", 0, 1)
    Run.objects.filter(pk=run.pk).update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=timezone.now())
    generated(run)
    assert ended(run) == ("needs_human_review", "unavailable", "judge_unavailable")
    assert run.drafts.count() == 1 and not run.judgements.exclude(outcome="unavailable").exists()


@pytest.mark.parametrize("code", FINAL)
def test_a_first_draft_that_cannot_be_had_fails(play: Any, code: str) -> None:
    play(ProviderError(code, "no"))
    run = made()
    assert ended(run) == ("failed", "failed", code) and run.revision == 0


def test_a_fix_that_cannot_be_had_fails_and_keeps_the_draft(play: Any) -> None:
    play([question(), ProviderError("refused", "no")], FAIL)
    run = made()
    assert ended(run) == ("failed", "failed", "refused")
    assert run.is_up_for_review and contents(run) == [QUESTION] and run.judgements.count() == 1


@pytest.mark.parametrize(
    "answer", ["Sorry.", "[]", question(options="none"), question(options=["a"]), question(stem=[])]
)
def test_no_draft_is_a_failure_with_a_reason(play: Any, answer: str) -> None:
    scripted = play(answer)
    run = made()
    assert ended(run) == ("failed", "failed", "malformed_answer")
    assert scripted.stages() == ["question", "question"] and run.revision == 0


def test_an_unreadable_draft_is_asked_for_once_more(play: Any) -> None:
    play(["Sorry.", f"```json\n{question()}\n```"])
    assert ended(made()) == ("awaiting_review", "passed", None)


def test_a_fix_without_its_component_is_asked_for_once_more(play: Any) -> None:
    play([question(), question(vignette=""), question(**NEW)], [FAIL, scores()])
    run = made()
    assert ended(run) == ("awaiting_review", "corrected", None)
    assert contents(run)[1] == QUESTION | {"vignette": NEW["vignette"]}


def test_a_fix_without_its_component_twice_fails_and_keeps_the_draft(play: Any) -> None:
    play([question(), question(vignette="")], FAIL)
    run = made()
    assert ended(run) == ("failed", "failed", "malformed_answer")
    assert run.error == {"code": "malformed_answer", "detail": "the answer has no vignette, asked twice"}
    assert run.is_up_for_review and contents(run) == [QUESTION]


def test_an_exception_on_the_last_try_is_a_failure_with_a_reason(play: Any) -> None:
    play([question(), RuntimeError("broken")], FAIL)
    run = queued()
    generated(run)
    while run.status == Status.QUEUED:
        Run.objects.filter(pk=run.pk).update(next_attempt_at=timezone.now())
        generated(run)
    assert ended(run) == ("failed", "failed", "internal_error") and run.is_up_for_review


def test_a_cancelled_run_ends_stopped(play: Any) -> None:
    scripted = play(judge=FAIL)
    run = queued()

    def cancel(request: Request) -> None:
        if len(scripted.of("question")) == 2:
            runs.cancel(run.id)

    scripted.before = cancel
    generated(run)
    assert run.status == "stopped" and run.error is not None
    assert run.judgements.count() == 1 and run.drafts.count() == 1


def test_a_killed_fix_is_taken_up_with_its_component(play: Any) -> None:
    scripted = play([question(), question(**NEW, key="B")], [scores(WEAKEST["stem"]), scores()])
    run = queued()

    class Killed(BaseException):
        pass

    def dies(request: Request) -> None:
        if len(scripted.of("question")) == 2:
            raise Killed

    scripted.before = dies
    with pytest.raises(Killed):
        pipeline.generate(run.id)
    scripted.before = None
    Run.objects.filter(pk=run.pk).update(lease_expires_at=timezone.now())
    generated(run)
    assert ended(run) == ("awaiting_review", "corrected", None)
    assert contents(run)[1] == QUESTION | {"stem": NEW["stem"]}
    assert "Make anew: stem\nCorrection attempt: 1\n" in scripted.of("question")[-1].user


def test_a_persons_revise_writes_the_whole_question_anew(play: Any) -> None:
    scripted = play([question(), question(**NEW, key="B")])
    run = made()
    runs.start_round(run.id)
    generated(run)
    assert contents(run)[1] == QUESTION | NEW
    assert "Make anew:" not in scripted.of("question")[1].volatile.split("</draft>")[0]
