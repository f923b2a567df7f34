"""What teaches, what does not and why, in each of the three forms."""

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from generation import runs
from generation.forgetting import forget_calls
from generation.intake import RunIn
from generation.models import Call, Run, Status
from review import recording
from review.exports.stream import portions
from review.exports.training import maker
from review.exports.wanted import Wanted
from review.recording import Fields
from tests.factories import UserFactory
from tests.review.exports.lessons import RECORD, generated, next_round, reviewed

pytestmark = pytest.mark.django_db
OTHER = RECORD | {"description": "Another."}


def exported(form: str = "full", **wanted: Any) -> list[dict[str, Any]]:
    parts = portions(Wanted("training", form=form, **wanted))
    return [json.loads(line) for part in parts for line in part.data.decode().splitlines()]


def left_out(form: str = "full") -> dict[str, int]:
    return dict(sum((part.left_out for part in portions(Wanted("training", form=form))), Counter[str]()))


def said(text: str, role: str = "assistant") -> dict[str, str]:
    return {"role": role, "content": text}


def test_full_holds_all_that_is_taught() -> None:
    run = reviewed(generated(arm="control"), bad_format=True, missing_spec=["Weight"], notes="Hm.")
    (row,) = exported()
    assert (row["run"], row["arm"], row["flow"]) == (str(run.pk), "control", "item")
    assert row["first_draft"] == row["record"] == RECORD and list(row["record"])[:2] == ["name", "description"]
    assert (row["bad_format"], row["wrong_information"], row["missing_spec"]) == (True, None, ["Weight"])
    assert [prompt["user"] for prompt in row["prompts"]] == ["user extraction 1.1", "user supervisor 1.1"]
    assert row["prompts"][0]["answer"] == "answer 1" and row["prompts"][0]["prompt_version"] == 1
    (review,) = row["reviews"]
    assert (review["decision"], review["notes"], review["blind"]) == ("approve", "Hm.", False)
    assert "reviewer" not in review and row["forgotten_at"] is None and not row["changed"]


def test_chat_of_a_run_that_was_right_at_once_teaches_every_stage() -> None:
    reviewed(generated())
    rows = {row["stage"]: row for row in exported("chat")}
    assert rows.keys() == {"extraction", "supervisor"}
    extraction = rows["extraction"]["messages"]
    assert extraction[:2] == [said("system extraction 1.1", "system"), said("user extraction 1.1", "user")]
    assert json.loads(extraction[2]["content"]) == RECORD and rows["extraction"]["target"] == "record"
    assert rows["supervisor"]["messages"][2] == said("PASS") and rows["supervisor"]["target"] == "answer"


@pytest.mark.parametrize(
    "fields", [{"bad_format": True}, {"wrong_information": True}, {"wrong_physical_dimensions": True},
               {"missing_spec": ["W"]}, {"values": {"/description": "Mended."}}]
)  # fmt: skip
def test_chat_of_one_that_was_not_teaches_the_record_alone(fields: dict[str, Any]) -> None:
    reviewed(generated(), **fields)
    (row,) = exported("chat")
    wanted = RECORD | ({"description": "Mended."} if "values" in fields else {})
    assert row["stage"] == "extraction" and json.loads(row["messages"][-1]["content"]) == wanted
    assert left_out("chat") == {"unconfirmed": 1}


def test_a_judge_whom_the_person_contradicts_teaches_nothing() -> None:
    reviewed(generated(judged="failed", status=Status.NEEDS_HUMAN_REVIEW))
    assert [row["stage"] for row in exported("chat")] == ["extraction"]


def test_a_fix_is_taught_from_the_first_prompt() -> None:
    reviewed(generated(fixed=OTHER))
    (row,) = exported("chat")
    assert row["messages"][1] == said("user extraction 1.1", "user")
    assert json.loads(row["messages"][2]["content"]) == OTHER
    (pair,) = exported("preference")
    assert pair["prompt"] == row["messages"][:2]
    assert json.loads(pair["chosen"][0]["content"]) == OTHER
    assert json.loads(pair["rejected"][0]["content"]) == RECORD


def test_a_second_round_is_taught_from_the_first_prompt_too() -> None:
    run = reviewed(generated(), "revise", wrong_information=True)
    next_round(run, OTHER)
    reviewed(run, by=UserFactory())
    (pair,) = exported("preference")
    assert pair["prompt"][1]["content"] == "user extraction 1.1" and pair["wrong_information"] is True
    assert json.loads(pair["chosen"][0]["content"]) == OTHER
    (row,) = exported()
    assert [review["decision"] for review in row["reviews"]] == ["revise", "approve"]
    assert (row["round"], row["changed"], len(row["prompts"])) == (2, True, 3)


def test_a_correction_makes_a_pair_and_says_what_it_was() -> None:
    reviewed(generated(), values={"/description": "Mended."})
    (pair,) = exported("preference")
    (correction,) = pair["corrections"]
    assert correction["values"][0] | {"label": ""} == {
        "pointer": "/description", "label": "", "from": "A drill.", "to": "Mended.",
    }  # fmt: skip
    assert json.loads(pair["chosen"][0]["content"])["description"] == "Mended."


def test_no_pair_where_nothing_differs() -> None:
    reviewed(generated())
    assert exported("preference") == [] and left_out("preference") == {"unchanged": 1}


def undone(run: Run) -> None:
    mia = UserFactory()
    reviewed(run, by=mia)
    recording.undo(run.pk, mia)


def left(run: Run) -> None:
    mia = UserFactory()
    event = recording.submit(run.pk, Fields("approve"), reviewer=mia).event
    assert event
    recording.leave_out(event.pk, mia)


def by_a_service(run: Run) -> None:
    recording.submit(run.pk, Fields("approve"), service="robot")


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda run: None, {}),
        (lambda run: reviewed(run, "reject"), {}), (lambda run: reviewed(run, "revise"), {}),
        (undone, {}), (left, {"left_out": 1}), (by_a_service, {"not_a_person": 1}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["full", "chat", "preference"])
def test_what_teaches_nothing(act: Any, why: dict[str, int], form: str) -> None:
    act(generated(fixed=OTHER))
    assert exported(form) == [] and left_out(form) == why


def test_a_service_that_approves_after_a_person_makes_it_teach_nothing() -> None:
    run = reviewed(generated())
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW)
    by_a_service(run)
    assert exported() == []


def test_what_was_forgotten_is_told_and_never_empty() -> None:
    reviewed(generated(fixed=OTHER))
    Call.objects.update(created_at=timezone.now() - timedelta(days=9))
    assert forget_calls(1) == 4
    (row,) = exported()
    assert row["forgotten_at"] is not None
    for prompt in row["prompts"]:
        assert (prompt["system"], prompt["user"], prompt["answer"]) == (None, None, None) and prompt[
            "forgotten_at"
        ]
    assert exported("chat") == [] and left_out("chat") == {"forgotten": 2}
    assert exported("preference") == [] and left_out("preference") == {"forgotten": 1}


def test_an_imported_record_has_no_prompt() -> None:
    run = runs.adopt(RunIn(flow="item", source={"title": "Drill"}), RECORD)
    reviewed(run)
    (row,) = exported()
    assert row["prompts"] == [] and row["record"]["name"] == "Drill"
    for form in ("chat", "preference"):
        assert exported(form) == [] and left_out(form) == {"no_prompt": 1}


def test_filters() -> None:
    found = [reviewed(generated()), reviewed(generated(flow="question", subcategory=None))]
    assert [row["run"] for row in exported(flow="item")] == [str(found[0].pk)]
    assert found[0].subcategory
    assert [row["run"] for row in exported(subcategory=found[0].subcategory.slug)] == [str(found[0].pk)]
    assert found[1].last_reviewed_at
    assert [row["run"] for row in exported(since=found[1].last_reviewed_at)] == [str(found[1].pk)]
    assert [row["run"] for row in exported(until=found[1].last_reviewed_at)] == [str(found[0].pk)]


@pytest.mark.parametrize(
    ("flow", "stage"),
    [("item", "extraction"), ("editorial", "editorial"), ("question", "question"), ("change", ""), ("gone", "")],
)  # fmt: skip
def test_which_stage_makes_the_record(flow: str, stage: str) -> None:
    assert maker(flow) == stage
