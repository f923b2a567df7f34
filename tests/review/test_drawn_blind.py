"""Runs drawn to be reviewed without knowing their judge: nothing says so before the review is in."""

import json
import re
from typing import Any, Literal

import pytest
from django.contrib.auth.models import User

from generation import progress
from generation.models import Batch, Draft, Judgement, JudgeOutcome, Run, Status
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.models import ReviewEvent
from tests.callers import Caller
from tests.factories import DraftFactory, RunFactory
from tests.people import a_reviewer, signed_in
from tests.review.panels import policy, say

pytestmark = pytest.mark.django_db
JUDGED = ("secret-feedback", "failed it", "Needs human review", "after 1 fix", "revision 2")


@pytest.fixture
def mia() -> User:
    return a_reviewer("mia")


def escalated(*, drawn: bool = True, **given: Any) -> Run:
    """By its judge, after a fix."""
    run: Run = RunFactory(
        status=Status.NEEDS_HUMAN_REVIEW, judge_outcome=JudgeOutcome.NEEDS_HUMAN_REVIEW, revision=2,
        error={"code": "fixes_exhausted", "detail": "failed it: secret-feedback"}, drawn_blind=drawn, **given,
    )  # fmt: skip
    for revision in (1, 2):
        draft: Draft = DraftFactory(run=run, revision=revision, content={"name": f"Drill {revision}"})
        Judgement.objects.create(
            run=run, draft=draft, round=1, cycle=revision, kind="supervisor", outcome="failed",
            result={"feedback": "secret-feedback"},
        )  # fmt: skip
        progress.entered(run.id, "supervisor", badge="REVIEW", round=1, attempt=revision)
    return Run.objects.get(pk=run.pk)


def page(run: Run, user: User) -> str:
    return signed_in(user).get(f"/runs/{run.pk}/").text


def test_nothing_tells_of_the_judge_nor_that_it_is_hidden(mia: User) -> None:
    run = escalated()
    text = page(run, mia) + json.dumps(Caller(user=mia).get(f"/runs/{run.pk}").json())
    assert "Drill 2" in text and not [word for word in JUDGED if word in text]
    assert "blind" not in re.sub(r"<(script|style|link).*?>", "", text)
    assert "what the judge found" not in text
    recorded = say(run, mia)
    assert recorded.event and (recorded.event.blind, recorded.event.blind_to_judge) == (True, True)
    assert "secret-feedback" in page(run, mia) and ", blind" in page(run, mia)


@pytest.mark.parametrize(
    ("drawn", "round", "told"),
    [
        (True, 1, ""),
        (True, 2, "round 2"),
        (False, 1, "revision 2 · The judge failed it"),
        (False, 2, "round 2 · revision 2 · The judge failed it"),
    ],
)
def test_the_bar_says_how_far_the_run_is(mia: User, drawn: bool, round: int, told: str) -> None:
    run = escalated(drawn=drawn, round=round)
    found = re.search(r'<span class="quiet clip">(.*?)</span>', page(run, mia))
    assert found and found[1] == told


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("of", ["flow", "batch"])
def test_where_an_admin_asks_for_it_every_page_says_so(mia: User, drawn: bool, of: str) -> None:
    batch = Batch.objects.create(name="Batch") if of == "batch" else None
    run = escalated(drawn=drawn, batch=batch)
    policy(reviewers=1, blind_to_judge=True, batch=batch)
    assert "blind to the judge" in page(run, mia) and "what the judge found, too" in page(run, mia)


def test_a_batch_that_need_not_be_blind_says_nothing_whatever_its_flow_asks(mia: User) -> None:
    run = escalated(batch=Batch.objects.create(name="Batch"))
    policy(reviewers=1, blind_to_judge=True)
    policy(reviewers=1, batch=run.batch)
    assert "blind to the judge" not in page(run, mia) and "secret-feedback" not in page(run, mia)


def test_it_stays_drawn_in_each_round_and_under_each_policy(mia: User) -> None:
    run = escalated()
    say(run, mia, "revise")
    run.refresh_from_db()
    assert (run.round, run.blind_to_judge) == (2, True)
    policy(reviewers=1)
    run.refresh_from_db()
    assert run.blind_to_judge


Asked = Literal["nothing", "two", "judge", "drawn", "two and drawn"]


@pytest.mark.parametrize(
    ("asked", "blind", "to_judge"),
    [
        ("nothing", False, False), ("two", True, False), ("judge", True, True), ("drawn", True, True),
        ("two and drawn", True, True),
    ],
)  # fmt: skip
def test_an_event_says_what_it_was_blind_to(mia: User, asked: Asked, blind: bool, to_judge: bool) -> None:
    policy(reviewers=2 if "two" in asked else 1, blind_to_judge=asked == "judge")
    run = escalated(drawn="drawn" in asked)
    say(run, mia)
    event = ReviewEvent.objects.get()
    assert (event.blind, event.blind_to_judge) == (blind, to_judge)
    (told,) = Caller().get(f"/runs/{run.pk}/reviews").json()["items"]
    (line,) = exported("reviews")
    assert all(
        (found["blind"], found["blind_to_judge"]) == (blind, to_judge) for found in (told, *line["reviews"])
    )
    last = exported("judgements")[-1]
    assert (last["blind"], last["blind_to_judge"]) == (blind, to_judge)


def test_a_review_again_of_a_decided_run_is_no_blind_one(mia: User) -> None:
    run = escalated()
    say(run, mia, "reject")
    say(run, User.objects.create_superuser("root"))
    assert list(ReviewEvent.objects.order_by("id").values_list("blind_to_judge", flat=True)) == [True, False]


def test_a_service_that_reviews_is_not_blind(mia: User) -> None:
    run = escalated()
    Caller()("POST", f"/runs/{run.pk}/reviews", {"decision": "approve"})
    assert not ReviewEvent.objects.get().blind_to_judge


def exported(kind: str) -> list[dict[str, Any]]:
    parts = portions(Wanted(kind))
    return [json.loads(line) for part in parts for line in part.data.decode().splitlines()]


def test_whether_guidance_had_the_formatter_run_is_shown_once_it_is_reviewed(mia: User) -> None:
    run = RunFactory()
    DraftFactory(run=run)
    for stage in ("extraction", "formatter", "supervisor"):
        progress.entered(run.pk, stage, badge="", round=1, attempt=1)
    lanes = re.compile(r'<span class="lane-name"><strong>(\w+)')
    assert lanes.findall(page(run, mia)) == ["Extraction", "Supervisor"]
    say(run, mia)
    assert [name for name in ("Extraction", "Formatter", "Supervisor") if name in page(run, mia)][1] == "Formatter"
