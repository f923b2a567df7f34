"""What is stored of a judge that could not judge, and what callers are told."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from generation.models import Run
from review import recording
from review.recording import Fields
from tests import people
from tests.callers import Caller
from tests.unavailable.far_end import BY_NAME, CASES, PASSES, Case

pytestmark = pytest.mark.django_db
Walk = dict[Case, Run]
JUDGES = ("supervisor", "judge", "reviewer")
# How often the judge is asked: five attempts where the provider gave no answer, and each cycle that is spent.
CALLS = {
    True: {"item": 5, "editorial": 5, "question": 7, "change": 5},
    False: {"item": 1, "question": 3, "change": 1},
}
CODES = {
    "prose": "malformed",
    "a time-out": "timeout",
    "unreachable": "unreachable",
    "rubbish": "unusable_judgement",
    "a part left out": "incomplete_judgement",
}


def code_of(case: Case) -> str:
    flow, cause = case
    if flow == "change" and cause in ("rubbish", "a part left out"):
        return "contract_violation"
    return CODES["rubbish" if flow == "item" and cause in ("prose", "a part left out") else cause]


@pytest.mark.parametrize("case", CASES)
def test_it_is_stored_as_unavailable_with_its_reason(walk: Walk, case: Case) -> None:
    run = walk[case]
    assert (run.status, run.judge_outcome) == (BY_NAME[case[0]].status, "unavailable")
    judgements = list(run.judgements.all())
    assert {one.outcome for one in judgements} == {"unavailable"}
    assert {one.result["code"] for one in judgements} == {code_of(case)}
    assert all(one.result["feedback"] and not one.correction_applied for one in judgements)
    assert len(judgements) == (3 if case[0] == "question" else 1)
    assert run.drafts.count() == run.revision == 1, "nothing was made anew for an excuse"


@pytest.mark.parametrize("flow", BY_NAME)
def test_the_control_passed(walk: Walk, flow: str) -> None:
    run = walk[flow, PASSES]
    assert (run.status, run.judge_outcome, run.error) == ("awaiting_review", "passed", None)
    assert [one.outcome for one in run.judgements.all()] == ["passed"]


@pytest.mark.parametrize("case", CASES)
def test_callers_are_told_so(walk: Walk, case: Case) -> None:
    run, ask = walk[case], Caller("read")
    told = ask.get(f"/runs/{run.pk}").json()
    assert told["judge_outcome"] == "unavailable"
    assert {one["outcome"] for one in told["judgements"]} == {"unavailable"}
    error = told["error"]
    assert code_of(case) in (error["code"], error.get("cause")) and error["detail"]
    (listed,) = ask.get("/runs", batch=str(run.batch_id), flow=run.flow).json()["items"]
    assert (listed["judge_outcome"], listed["status"], listed["error"]) == ("unavailable", told["status"], error)
    asked = [one["error"] for one in ask.get(f"/runs/{run.pk}/calls").json()["items"] if one["stage"] in JUDGES]
    lost = code_of(case) in ("timeout", "unreachable", "malformed")
    assert [error["code"] if error else "" for error in asked] == [code_of(case) if lost else ""] * len(asked)
    twice = case[0] == "editorial" and case[1] not in ("a time-out", "unreachable")
    assert len(asked) == (2 if twice else CALLS[lost][case[0]])


@pytest.mark.parametrize("case", CASES)
def test_those_who_follow_the_run_hear_the_reason(walk: Walk, case: Case) -> None:
    run = walk[case]
    last = run.node_events.order_by("id").last()
    assert last is not None and (last.kind, last.node) == ("status", run.status)
    assert last.detail == (run.error or {})["code"]


def lines(run: Run) -> dict[str, Any]:
    out = io.StringIO()
    call_command("export_reviews", flow=run.flow, stdout=out)
    return {one["run"]: one for one in map(json.loads, out.getvalue().splitlines())}


@pytest.mark.parametrize("case", CASES)
def test_the_export_says_so_also_once_a_person_approved(walk: Walk, case: Case) -> None:
    run = walk[case]
    recording.submit(run.pk, Fields(decision="approve"), reviewer=people.a_reviewer())
    line = lines(run)[str(run.pk)]
    assert (line["status"], line["judge_outcome"]) == ("approved", "unavailable")
    assert {one["outcome"] for one in line["judgements"]} == {"unavailable"}
    streamed = Caller("read").get("/exports/reviews.jsonl", flow=run.flow)
    assert line in [json.loads(one) for one in b"".join(streamed.streaming_content).splitlines()]
