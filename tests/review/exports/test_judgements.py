"""A row per judgement, with what the people said of its round."""

import json
from typing import Any

import pytest

from generation.models import Run, Status
from review import recording
from review.exports import chunks
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.models import ReviewEvent
from review.recording import Fields
from tests.factories import UserFactory
from tests.review.exports.lessons import RECORD, generated, next_round, reviewed

pytestmark = pytest.mark.django_db
OTHER = RECORD | {"description": "Another."}


def exported(**wanted: Any) -> list[dict[str, Any]]:
    parts = portions(Wanted("judgements", **wanted))
    return [json.loads(line) for part in parts for line in part.data.decode().splitlines()]


def test_what_people_said_stands_beside_the_last_one_of_the_round() -> None:
    run = generated(fixed=OTHER, arm="control")
    reviewed(run, bad_format=True, missing_spec=["W"], by=UserFactory(username="mia"))
    first, last = exported()
    assert (first["cycle"], first["outcome"], first["is_last"], first["decision"]) == (1, "failed", False, None)
    assert first["agrees"] is None and first["reviews_count"] == 1
    assert (last["cycle"], last["outcome"], last["is_last"], last["decision"]) == (2, "passed", True, "approve")
    assert (last["agrees"], last["blind"], last["left_out"], last["bad_format"]) == (True, False, False, True)
    assert (last["arm"], last["revision"], last["reviewed_revision"]) == ("control", 2, 2)
    assert last["result"]["feedback"] == "as it says" and last["missing_spec"] == ["W"]
    (review,) = last["reviews"]
    assert (review["reviewer"], review["blind"], review["corrected"]) == ("mia", False, False)


@pytest.mark.parametrize(
    ("judged", "decision", "values", "agrees"),
    [
        ("passed", "approve", {}, True), ("passed", "reject", {}, False), ("passed", "revise", {}, False),
        ("passed", "approve", {"/description": "Mended."}, False),
        ("failed", "approve", {}, False), ("failed", "reject", {}, True), ("failed", "revise", {}, True),
        ("failed", "approve", {"/description": "Mended."}, True),
        ("unavailable", "approve", {}, None), ("unavailable", "reject", {}, None),
    ],
)  # fmt: skip
def test_when_they_agree(judged: str, decision: str, values: dict[str, str], agrees: bool | None) -> None:
    reviewed(generated(judged=judged, status=Status.NEEDS_HUMAN_REVIEW), decision, values=values)
    assert exported()[0]["agrees"] is agrees


def test_each_round_has_its_own_reviews() -> None:
    run = reviewed(generated(), "revise", wrong_information=True)
    reviewed(next_round(run, OTHER))
    rows = exported()
    assert [(row["round"], row["decision"], row["agrees"]) for row in rows] == [
        (1, "revise", False), (2, "approve", True),
    ]  # fmt: skip


def test_undone_is_gone_left_out_is_told_and_services_say_nothing() -> None:
    mia, run = UserFactory(), generated()
    reviewed(run, "reject", by=mia)
    recording.undo(run.pk, mia)
    assert exported()[0]["reviews_count"] == 0 and exported()[0]["decision"] is None
    event = recording.submit(run.pk, Fields("approve"), reviewer=mia).event
    assert event
    recording.leave_out(event.pk, mia)
    (row,) = exported()
    assert (row["decision"], row["left_out"], row["reviews_count"]) == ("approve", True, 1)
    Run.objects.update(status=Status.AWAITING_REVIEW)
    recording.submit(run.pk, Fields("reject"), service="robot")
    assert exported()[0]["decision"] == "approve" and exported()[0]["reviews_count"] == 1


def test_blind_is_told() -> None:
    run = generated()
    ReviewEvent.objects.create(
        run=run, sequence=1, reviewer=UserFactory(), decision="approve", blind=True, round=1
    )
    (row,) = exported()
    assert row["blind"] is True and row["reviews"][0]["blind"] is True


def test_a_judgement_that_nobody_reviewed_has_its_row() -> None:
    generated()
    (row,) = exported()
    assert (row["reviews_count"], row["reviews"], row["decision"], row["agrees"]) == (0, [], None, None)


def test_chunks_and_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST", 2)
    runs = [generated(fixed=OTHER, flow="question" if n == 4 else "item") for n in range(5)]
    assert [row["run"] for row in exported()] == [str(run.pk) for run in runs for _ in (1, 2)]
    assert {row["run"] for row in exported(flow="question")} == {str(runs[4].pk)}
    rows = [row["judgement"] for row in exported()]
    assert rows == sorted(set(rows))
