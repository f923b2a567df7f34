"""When a change is not judged, and when it is stopped, alone or with its batch."""

import json
from dataclasses import replace
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from django.db.models import Q
from pytest_django.fixtures import Settings

from generation import flows
from generation.batches import create_many
from generation.flows.change.flow import FLOW
from generation.models import NodeEvent, Run
from generation.pages import batch_page
from generation.runs import start_round
from generation.tasks import sweep
from tests.generation.change.conftest import BEAD, new_change
from tests.generation.change.programs import Program, said
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("option", "setting", "reviews"),
    [
        (None, None, 0),  # the default of this flow
        (True, None, 1),
        (False, None, 0),
        (None, True, 1),
        (None, False, 0),
        (True, False, 1),
        (False, True, 0),
    ],
)
def test_review_is_off_unless_it_is_asked_for(
    shop: object,
    program: Program,
    reviewer: Scripted,
    settings: Settings,
    option: bool | None,
    setting: bool | None,
    reviews: int,
) -> None:
    settings.FOLDBACK_REVIEW = setting
    run = generated(new_change(options={"review": option}))
    assert (run.status, run.judge_outcome) == ("awaiting_review", "passed" if reviews else "skipped")
    assert run.judgements.count() == len(reviewer.stages()) == reviews and run.revision == 1


def test_without_a_work_item_review_is_skipped_and_says_why(
    shop: object, program: Program, reviewer: Scripted
) -> None:
    run = generated(new_change(source={"bead": None, "instructions": "Tidy up."}))
    assert (run.status, run.judge_outcome, reviewer.stages()) == ("awaiting_review", "skipped", [])
    assert NodeEvent.objects.filter(run=run, node="reviewer", kind="node_complete").get().detail == (
        "skipped: no work item was picked"
    )
    assert "work item: none was picked" in run.calls.get().user


def test_without_a_reviewers_prompt_review_is_skipped(
    change: Run, reviewer: Scripted, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    copytree(FLOW.folder, tmp_path / "flow", ignore=ignore_patterns("reviewer.md", "__pycache__"))
    monkeypatch.setattr(flows, "_load", lambda name: replace(FLOW, folder=tmp_path / "flow"))
    generated(change)
    assert (change.status, change.judge_outcome, reviewer.stages()) == ("awaiting_review", "skipped", [])
    detail = NodeEvent.objects.filter(run=change, node="reviewer", kind="node_complete").get().detail
    assert detail == "skipped: the reviewer has no prompt"


@pytest.mark.parametrize(
    ("output", "stops"),
    [
        ("no_beads_available", True),
        ("I looked.\\n  no_beads_available  ", True),
        ("status: `no_beads_available`.", True),
        ("x" * 90_000 + "\\nno_beads_available\\n" + "x" * 90_000, True),
        ("no_beads_available_yet", False),
        ("No beads available", False),
        ("all_no_beads_available", False),
    ],
)
def test_a_stop_marker_in_the_agents_output_stops_the_run(
    change: Run, program: Program, reviewer: Scripted, output: str, stops: bool
) -> None:
    program.play(implementer=f"print('{output}')")
    generated(change)
    assert change.status == ("stopped" if stops else "awaiting_review")
    if stops:
        assert change.error is not None and change.error["code"] == "stop_marker"
        assert (change.judge_outcome, change.revision, reviewer.stages()) == ("skipped", 0, [])


def test_a_prompt_that_is_repeated_is_no_stop_marker(change: Run, program: Program) -> None:
    program.play(implementer="put('done.txt', 'x')\nprint(prompt)")
    generated(change)
    assert "no_beads_available" in change.calls.get(stage="change").answer
    assert change.status == "awaiting_review"


def test_a_fixers_marker_stops_and_a_reviewers_does_not(change: Run, program: Program, reviewer: Scripted) -> None:
    program.play(fixer="print('no_beads_available')")
    reviewer.lines["reviewer"] = [f"no_beads_available\n{said('drift', 'Not no_beads_available yet.')}"]
    generated(change)
    assert (change.status, change.judge_outcome, change.revision) == ("stopped", "failed", 1)
    reviewer.lines["reviewer"] = [f"no_beads_available\n{said('pass', 'no_beads_available')}"]
    assert generated(new_change()).status == "awaiting_review"


def test_a_marker_in_the_next_round_is_skipped(change: Run, program: Program, reviewer: Scripted) -> None:
    generated(change)
    assert change.judge_outcome == "passed"
    program.play(implementer="print('no_beads_available')")
    start_round(change.id)
    generated(change)
    assert (change.status, change.judge_outcome, change.revision) == ("stopped", "skipped", 1)


def test_a_marker_beside_a_failure_is_a_failure(change: Run, program: Program) -> None:
    program.play(implementer="print('no_beads_available'); sys.exit(1)")
    assert generated(change).status == "failed"


def test_no_further_queued_run_of_the_batch_starts(shop: object, program: Program, reviewer: Scripted) -> None:
    program.play(implementer="print('no_beads_available')")
    body = {"flow": "change", "source": {"repository": "shop"}}
    _, ids, _ = create_many([body] * 5)
    taken = ids.pop()
    Run.objects.filter(pk=taken).update(lease="0" * 32)  # its worker begins just now
    other = new_change(source={"bead": None})
    Run.objects.filter(pk=ids[1]).update(status="approved")
    Run.objects.filter(pk=ids[2]).update(status="generating", lease="0" * 32)
    first, decided, under_way, last = [generated(Run.objects.get(pk=ids[0])), *map(Run.objects.get, _ids(ids[1:]))]
    assert first.error is not None and first.error["code"] == "stop_marker"
    assert (decided.status, under_way.status, other.status) == ("approved", "generating", "queued")
    assert (last.status, last.judge_outcome) == ("stopped", "skipped")
    assert last.error is not None and last.error["code"] == "batch_stopped"
    assert first.short_id in last.error["detail"] and last.finished_at is not None
    assert NodeEvent.objects.filter(run=last, kind="status", node="stopped").count() == 1
    assert generated(last).status == "stopped" and not last.calls.exists()
    assert Run.objects.get(pk=taken).status == "queued"
    assert sweep() == 0 or not last.calls.exists()


def test_a_run_without_a_batch_stops_nobody_else(change: Run, program: Program) -> None:
    other = new_change()
    program.play(implementer="print('no_beads_available')")
    assert generated(change).status == "stopped"
    other.refresh_from_db()
    assert other.status == "queued"


def _ids(ids: list[Any]) -> list[Any]:
    return [Q(pk=run_id) for run_id in ids]


def test_a_failed_run_marks_its_batch(shop: object, program: Program, reviewer: Scripted) -> None:
    reviewer.lines["reviewer"] = [said("drift", "No.")]
    program.play(fixer="print('tried')")
    body = {"flow": "change", "source": {"bead": BEAD}, "options": {"review": True, "review_max_fix_attempts": 0}}
    batch, ids, _ = create_many([body])
    assert batch is not None
    assert generated(Run.objects.get(pk=ids[0])).status == "failed"
    assert batch_page(batch).has_failed


def test_a_result_is_json_all_the_way(change: Run, program: Program) -> None:
    """Names and texts that PostgreSQL cannot hold are stored as it can."""
    program.play(implementer="put('a\\udcff.txt', 'x')\nsys.stdout.buffer.write(b'\\x00\\xff\\n')")
    generated(change)
    assert change.status == "awaiting_review"
    assert "\x00" not in json.dumps(change.drafts.get().content)
