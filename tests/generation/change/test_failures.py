"""What fails a change: an agent that fails or hangs, a program or a repository that is not there."""

import pytest
from pytest_django.fixtures import Settings

from generation import runs
from generation.models import NodeEvent, Repository, Run
from tests.generation.change.conftest import new_change
from tests.generation.change.programs import Program, said
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


def test_an_implementer_that_fails_fails_the_run(change: Run, program: Program, reviewer: Scripted) -> None:
    program.play(implementer="print('half'); sys.exit(2)")
    generated(change)
    assert (change.status, change.judge_outcome, change.revision) == ("failed", "failed", 0)
    assert change.error == {"code": "agent_failed", "detail": "the agent ended with exit status 2"}
    call = change.calls.get()
    assert (call.answer, call.request["exit_status"]) == ("half\n", 2)
    assert call.error is not None and call.error["code"] == "agent_failed"
    assert reviewer.stages() == []


def test_a_fixer_that_fails_counts_its_attempt_and_ends_the_run(
    change: Run, program: Program, reviewer: Scripted
) -> None:
    program.play(fixer="put('broken.txt', 'x')\nsys.exit(1)")
    reviewer.lines["reviewer"] = [said("drift", "Test it.")]
    generated(change)
    assert (change.status, change.revision, reviewer.stages()) == ("failed", 1, ["reviewer"])
    assert change.error is not None and change.error["code"] == "agent_failed"
    assert change.judgements.get().correction_applied
    assert list(NodeEvent.objects.filter(run=change, badge="FIX").values_list("kind", "attempt", "detail")) == [
        ("node_enter", 2, ""),
        ("node_complete", 2, "agent_failed"),
    ]
    assert change.calls.get(stage="fixer").cycle == 2
    assert change.is_up_for_review and [file["path"] for file in change.drafts.get().content["files"]] == [
        "done.txt"
    ]


def test_a_fixer_that_is_tried_again_goes_on_from_what_was_done(
    change: Run, program: Program, reviewer: Scripted
) -> None:
    program.play(fixer="put('broken.txt', 'x')\nsys.exit(1)")
    reviewer.lines["reviewer"] = [said("drift", "Test it."), said("pass")]
    generated(change)
    program.play(fixer="assert os.path.exists('done.txt')\nput('tested.txt', 'x')")
    runs.retry(change.id)
    generated(change)
    assert (change.status, change.judge_outcome, change.error) == ("awaiting_review", "corrected", None)
    files = change.drafts.get(revision=2).content["files"]
    assert [file["path"] for file in files] == ["done.txt", "tested.txt"]


def test_what_a_reviewing_program_writes_beside_its_answer_is_no_verdict(
    shop: object, program: Program, reviewer: Scripted, settings: Settings
) -> None:
    settings.FOLDBACK_PROVIDER = "command"
    noise = said("drift", "of a log")
    program.play(reviewer=f"print({noise!r}, file=sys.stderr)\nverdict('pass')")
    run = generated(new_change())
    assert (run.status, run.judge_outcome) == ("awaiting_review", "passed")
    call = run.calls.get(stage="reviewer")
    assert call.request["complaint"] == f"{noise}\n" and "change" not in call.request


def test_a_reviewer_that_fails_as_a_program_fails_the_run(
    shop: object, program: Program, reviewer: Scripted, settings: Settings
) -> None:
    settings.FOLDBACK_PROVIDER = "command"
    program.play(reviewer="verdict('pass')\nsys.exit(4)")
    run = generated(new_change())
    assert (run.status, run.judge_outcome) == ("failed", "unavailable")
    assert run.error is not None and run.error["code"] == "agent_failed"
    assert not run.judgements.filter(outcome="passed").exists()


def test_with_command_the_program_reviews_too_with_the_change_before_it(
    shop: object, program: Program, reviewer: Scripted, settings: Settings
) -> None:
    settings.FOLDBACK_PROVIDER = "command"
    program.play(
        reviewer="assert os.path.exists('done.txt')\nput('stray.txt', 'x')\n"
        "if os.path.exists('tested.txt'): verdict('pass')\nelse: verdict('drift', 'Test it.')",
        fixer="put('tested.txt', 'x')",
    )
    run = generated(new_change())
    assert (run.status, run.judge_outcome) == ("awaiting_review", "corrected")
    files = run.drafts.get(revision=2).content["files"]
    assert [file["path"] for file in files] == ["done.txt", "tested.txt"]  # what the reviewer did is not kept


def test_a_hang_fails_the_run(change: Run, program: Program, settings: Settings) -> None:
    settings.FOLDBACK_AGENT_SECONDS = 4  # by then also a busy machine has begun
    program.play(implementer="print('begun', flush=True)\ntime.sleep(60)")
    generated(change)
    assert (change.status, change.error) == (
        "failed", {"code": "timeout", "detail": "the agent did not end within 4 seconds"},
    )  # fmt: skip
    assert change.calls.get().answer == "begun\n"


def test_without_a_program_it_says_what_to_set(change: Run, settings: Settings) -> None:
    settings.FOLDBACK_AGENT_COMMAND = []
    generated(change)
    assert change.status == "failed" and change.error is not None
    assert change.error["code"] == "not_configured" and "FOLDBACK_AGENT_COMMAND" in change.error["detail"]


def test_a_repository_that_is_registered_no_more_fails_the_run(change: Run, shop: Repository) -> None:
    shop.delete()
    generated(change)
    assert change.status == "failed" and change.error is not None
    assert change.error["code"] == "unknown_repository"
