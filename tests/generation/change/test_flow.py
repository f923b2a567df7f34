"""A change from its work item to its review, in a real repository with a real program as agent."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import prompts
from generation.errors import BadInput
from generation.forgetting import forget_calls
from generation.models import Call, Run
from generation.providers.command import running
from generation.run_trail import RunTrail
from generation.runs import start_round
from generation.work import Work
from tests.generation.change.conftest import new_change
from tests.generation.change.programs import Program, said
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db

TRY_AGAIN = "put('more.txt', 'x\\n', 'a')\nprint('tried')"


def test_a_change_that_passes(change: Run, program: Program, reviewer: Scripted) -> None:
    generated(change)
    assert (change.status, change.judge_outcome, change.error) == ("awaiting_review", "passed", None)
    draft = change.drafts.get()
    assert draft.content["files"] == [{"path": "done.txt", "change": "added", "was": "", "added": 1, "removed": 0}]
    assert draft.content["output"] == "done\n" and "+done" in draft.content["diff"]
    assert (draft.content["repository"], draft.made_by, draft.findings) == ("shop", "change", [])
    assert reviewer.stages() == ["reviewer"]
    judgement = change.judgements.get()
    assert (judgement.kind, judgement.outcome, judgement.result["followUpPrompt"]) == (
        "verdict", "passed", "as asked",
    )  # fmt: skip
    agent = change.calls.get(stage="change")
    assert (agent.provider, agent.model, agent.answer) == ("command", "agent.py", "done\n")
    assert "priority: 0" in agent.user and agent.request["exit_status"] == 0 and agent.duration_ms > 0


def test_drift_goes_to_the_fixer_and_what_was_done_stays(
    change: Run, program: Program, reviewer: Scripted
) -> None:
    program.play(fixer="assert os.path.exists('done.txt')\nput('tested.txt', 'yes\\n')\nprint('tested')")
    reviewer.lines["reviewer"] = [said("drift", "Test it."), said("pass")]
    generated(change)
    assert (change.status, change.judge_outcome, change.revision) == ("awaiting_review", "corrected", 2)
    assert [file["path"] for file in change.drafts.get(revision=2).content["files"]] == ["done.txt", "tested.txt"]
    fixer = change.calls.get(stage="fixer")
    assert "<feedback>\nTest it.\n</feedback>" in fixer.user  # and the work item, and what was done so far
    assert "Say when it is done" in fixer.user and "+done" in fixer.user
    assert fixer.answer == "tested\n" and fixer.request["role"] == "fixer"
    first, second = change.judgements.order_by("cycle")
    assert (first.outcome, first.correction_applied, first.correction_target) == ("failed", True, "fixer")
    assert (second.outcome, second.correction_applied) == ("passed", False)


@pytest.mark.parametrize("lost", ["SOURCE", "DRAFT", "FEEDBACK"])
@pytest.mark.parametrize("stage", ["fixer", "reviewer"])
def test_no_version_of_their_prompts_loses_the_work_item_what_was_done_or_what_was_asked(
    change: Run, stage: str, lost: str
) -> None:
    kept = " ".join(f"<<{name}>>" for name in ("SOURCE", "DRAFT", "FEEDBACK") if name != lost)
    with pytest.raises(BadInput, match=lost):
        prompts.save_version(prompts.live("change", stage).prompt, system="", user=kept)


@pytest.mark.parametrize("drifts", [0, 1, 4, 5, 6, 7])
def test_five_fixes_are_six_reviews(change: Run, program: Program, reviewer: Scripted, drifts: int) -> None:
    program.play(fixer=TRY_AGAIN)
    reviewer.lines["reviewer"] = [*[said("drift", "Not yet.")] * drifts, said("pass")]
    generated(change)
    passed = drifts <= 5
    assert change.status == ("awaiting_review" if passed else "failed")
    assert change.judge_outcome == ("failed" if not passed else "corrected" if drifts else "passed")
    assert change.judgements.count() == min(drifts, 5) + 1
    assert change.calls.filter(stage="fixer").count() == min(drifts, 5)
    if not passed:
        assert change.error is not None and change.error["code"] == "fixes_exhausted"
        assert change.is_up_for_review  # the last draft and all that was said stay to be read


@pytest.mark.parametrize(("fixes", "drifts"), [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3)])
@pytest.mark.parametrize("how", ["request", "setting"])
def test_fixes_may_be_fewer(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, fixes: int, drifts: int, how: str
) -> None:
    program.play(fixer=TRY_AGAIN)
    reviewer.lines["reviewer"] = [*[said("drift", "Not yet.")] * drifts, said("pass")]
    if how == "setting":
        settings.FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS = fixes
    run = generated(new_change(options={"review_max_fix_attempts": fixes} if how == "request" else {}))
    assert run.status == ("awaiting_review" if drifts <= fixes else "failed")
    assert run.judgements.count() == min(drifts, fixes) + 1


def test_the_reviewer_hears_no_follow_up_of_an_earlier_round(
    shop: object, program: Program, reviewer: Scripted
) -> None:
    program.play(fixer=TRY_AGAIN)
    reviewer.lines["reviewer"] = [said("drift", "Do one."), said("drift", "Do two."), said("pass")]
    run = generated(new_change(options={"review_max_fix_attempts": 1}))
    assert run.status == "failed"
    start_round(run.id)
    assert generated(run).status == "awaiting_review"
    heard = [("Do one." in one.user, "Do two." in one.user) for one in reviewer.of("reviewer")]
    assert heard == [(False, False), (True, False), (False, False)]


def test_what_was_done_is_not_done_again(change: Run, program: Program, reviewer: Scripted) -> None:
    """The worker is lost after each call; the next one goes on from what is stored."""
    program.play(
        implementer="put('count.txt', 'implemented\\n', 'a')\nprint('done')",
        fixer="put('count.txt', 'fixed\\n', 'a')\nprint('fixed')",
    )
    reviewer.lines["reviewer"] = [said("drift", "Fix it."), said("pass")]
    kept = RunTrail.keep_draft

    def lost(*args: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunTrail, "keep_draft", lost)
        with pytest.raises(KeyboardInterrupt):
            generated(change)
    assert change.calls.count() == 1 and not change.drafts.exists()
    assert RunTrail.keep_draft is kept
    Run.objects.update(lease=None, lease_expires_at=None)
    generated(change)
    assert change.status == "awaiting_review"
    assert list(change.calls.order_by("id").values_list("stage", flat=True)) == [
        "change", "reviewer", "fixer", "reviewer",
    ]  # fmt: skip
    assert "+implemented\n+fixed" in change.drafts.get(revision=2).content["diff"]


def test_the_next_round_goes_on_from_the_last_draft(change: Run, program: Program, reviewer: Scripted) -> None:
    generated(change)
    program.play(implementer="assert os.path.exists('done.txt')\nput('second.txt', 'x')\nprint('more')")
    start_round(change.id)
    generated(change)
    assert (change.round, change.revision, change.status) == (2, 2, "awaiting_review")
    files = change.drafts.get(revision=2).content["files"]
    assert [file["path"] for file in files] == ["done.txt", "second.txt"]
    assert "<draft>" in change.calls.get(stage="change", round=2).user


def test_forgotten_texts_begin_anew(change: Run, program: Program) -> None:
    generated(change)
    Call.objects.update(created_at="2020-01-01T00:00:00Z")
    assert forget_calls(1) == 2
    program.play(implementer="put('fresh.txt', str(os.path.exists('done.txt')))\nprint('again')")
    start_round(change.id)
    generated(change)
    assert change.status == "awaiting_review"
    assert "+False" in change.drafts.get(revision=2).content["diff"]


def test_a_cancelled_run_ends_its_agent(change: Run, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY", 0.2)
    program.play(implementer="time.sleep(60)")

    def look(work: Any) -> None:
        Run.objects.filter(pk=change.pk).update(status="stopped", lease=None)
        renew(work)

    renew = Work._still_wanted
    monkeypatch.setattr(Work, "_still_wanted", look)
    generated(change)
    assert change.status == "stopped" and not change.calls.exists() and change.revision == 0
