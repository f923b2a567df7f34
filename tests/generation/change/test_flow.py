"""A change from its work item to its review, in a real repository with a real program as agent."""

import pytest

from generation.models import Run
from tests.generation.change.conftest import new_change
from tests.generation.change.programs import Program, said
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


def test_a_change_that_passes(change: Run, program: Program, reviewer: Scripted) -> None:
    generated(change)
    assert (change.status, change.judge_outcome, change.error) == ("awaiting_review", "passed", None)
    record = change.drafts.get().content
    assert record["files"] == [{"path": "done.txt", "change": "added", "was": "", "added": 1, "removed": 0}]
    assert record["output"] == "done\n" and "+done" in record["diff"] and record["repository"] == "shop"
    assert reviewer.stages() == ["reviewer"]


def test_drift_goes_to_the_fixer_and_what_was_done_stays(
    change: Run, program: Program, reviewer: Scripted
) -> None:
    program.play(fixer="assert os.path.exists('done.txt')\nput('tested.txt', 'yes\\n')\nprint('tested')")
    reviewer.lines["reviewer"] = [said("drift", "Test it."), said("pass")]
    generated(change)
    assert (change.status, change.judge_outcome, change.revision) == ("awaiting_review", "corrected", 2)
    assert [file["path"] for file in change.drafts.get(revision=2).content["files"]] == ["done.txt", "tested.txt"]
    fixer = change.calls.get(stage="fixer")
    assert "<feedback>\nTest it.\n</feedback>" in fixer.user and "Say when it is done" in fixer.user
    assert fixer.answer == "tested\n" and fixer.provider == "command" and fixer.request["role"] == "fixer"


@pytest.mark.parametrize("fixes", [0, 1, 5])
def test_exhausted_is_failed(reviewer: Scripted, program: Program, shop: object, fixes: int) -> None:
    program.play(fixer="put('more.txt', 'x', 'a')\nprint('tried')")
    reviewer.lines["reviewer"] = [said("drift", "Not yet.")]
    run = generated(new_change(options={"review_max_fix_attempts": fixes}))
    assert (run.status, run.judge_outcome, run.judgements.count()) == ("failed", "failed", fixes + 1)
    assert run.error is not None and run.error["code"] == "fixes_exhausted"
