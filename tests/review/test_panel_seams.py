"""Where runs of several reviewers, or with a hidden judge, meet REST, exports, sums, backtests and retries."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from generation import runs
from generation.models import Call, Injection, Prompt, PromptVersion, Run, Status
from learning import achieved, facts
from learning.acts import Scene, moves
from learning.demo.simulation import simulate
from review import queue, setting_aside
from review.models import Claim, ClaimEvent, ReviewEvent, Tally
from review.undoing import leave_out
from tests.callers import Caller
from tests.factories import SubcategoryFactory
from tests.people import a_reviewer, signed_in
from tests.review import panels
from tests.review.panels import policy, say

pytestmark = pytest.mark.django_db
Three = tuple[User, User, User]


@pytest.fixture
def three() -> Three:
    return panels.three()


def version() -> PromptVersion:
    prompt, _made = Prompt.objects.get_or_create(flow="item", stage="extraction")
    return prompt.versions.first() or PromptVersion.objects.create(prompt=prompt, number=1, user="")


def test_a_refused_assignment_tells_nothing_of_a_hidden_judge(three: Three) -> None:
    mia, _tom, ada = three
    policy(blind_to_judge=True)
    run = panels.waiting(status=Status.NEEDS_HUMAN_REVIEW, judge_outcome="needs_human_review")
    say(run, mia)
    refused = Caller(user=ada)("PUT", f"/runs/{run.pk}/assignment", {"person": "mia"})
    assert refused.status_code == 409 and "not for this person" in refused.json()["detail"]


def test_a_refused_undo_tells_nothing_of_a_hidden_judge(three: Three) -> None:
    mia = three[0]
    policy(reviewers=1, blind_to_judge=True)
    run = panels.waiting()
    say(run, mia, "reject")
    runs.retry(run.pk)
    Run.objects.filter(pk=run.pk).update(status=Status.FIXING)
    refused = Caller(user=mia)("POST", f"/runs/{run.pk}/undo")
    assert refused.status_code == 409 and "fixed" not in refused.text


def test_a_stage_that_mends_is_told_with_the_judge_alone(three: Three) -> None:
    """A second draft, and what was put into its prompt, say that the judge failed the first."""
    mia, tom, _ada = three
    policy(blind_to_judge=True)
    run = panels.waiting(status=Status.NEEDS_HUMAN_REVIEW, revision=2)
    call = Call.objects.create(
        run=run, stage="mender", provider="demo", cycle=2, answer="x", prompt_version=version()
    )
    Injection.objects.create(call=call, placeholder="P", guidance_key="k", text="mender-text", reason="r")
    ReviewEvent.objects.create(run=run, sequence=1, decision="revise", reviewer=mia, source="person", round=1)
    Run.objects.filter(pk=run.pk).update(reviews_from=2)
    for caller, told in ((Caller(user=tom), False), (Caller(), True)):
        exported = b"".join(caller.get("/exports/reviews.jsonl").streaming_content).decode()
        assert ("mender" in caller.get(f"/runs/{run.pk}").text, "mender" in exported) == (told, told)


def test_a_version_is_accepted_where_the_tallies_say_so(three: Three) -> None:
    mia, tom, ada = three
    policy()
    made = version()
    for decisions, accepted in ((("approve", "reject", "reject"), 0), (("approve", "approve"), 1)):
        run = panels.waiting(subcategory=SubcategoryFactory())
        Call.objects.create(run=run, stage="extraction", provider="demo", answer="x", prompt_version=made)
        for person, decision in zip((mia, tom, ada), decisions, strict=False):
            say(run, person, decision)
        facts.fold()
        assert achieved.of([made.pk])[made.pk]["accepted"] == accepted
        assert Tally.objects.totals("accepted").get("accepted", 0) == accepted


def test_a_review_left_out_later_moves_no_other_in_the_backtest(three: Three) -> None:
    mia, tom, _ada = three
    policy()
    drills = SubcategoryFactory()
    run = panels.waiting(subcategory=drills)
    first = say(run, mia).event
    say(run, tom)

    def times() -> list[object]:
        return [act.at for act in Scene("item", drills, moves("item")).acts() if act.said]

    before = times()
    assert first
    leave_out(first.pk, mia)
    with connection.cursor() as cursor:  # later than the reviews, by any clock
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE review_reviewevent SET created_at = created_at + interval '1 hour' WHERE kind = 'left_out'"
        )
        cursor.execute("SET session_replication_role = DEFAULT")
    assert times() == before


def test_a_claim_that_is_ended_elsewhere_is_told_too() -> None:
    admin, mia = User.objects.create_superuser("root"), a_reviewer("mia")
    released, aside = panels.waiting(), panels.waiting()
    for run in (released, aside):
        queue.take(run.pk, mia)
    claim = Claim.objects.get(run=released)
    signed_in(admin).post("/admin/review/claim/", {"action": "release", "_selected_action": [claim.pk]})
    setting_aside.set_aside(aside.pk, admin)
    freed = ClaimEvent.objects.filter(kind="freed", person=mia, by=admin)
    assert set(freed.values_list("run", flat=True)) == {released.pk, aside.pk} and not Claim.objects.exists()


def test_the_simulation_reviews_alone_whatever_is_asked_of_people() -> None:
    policy(reviewers=2, four_eyes=True)
    assert simulate(3, learning=True)


def test_a_vote_ends_with_its_round_where_a_run_is_retried(three: Three) -> None:
    mia, tom, _ada = three
    policy()
    run = panels.waiting(status=Status.FAILED, error={"code": "internal_error", "detail": ""})
    say(run, mia, "reject")
    runs.retry(run.pk)
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW)
    say(run, tom, "reject")
    run.refresh_from_db()
    assert (run.status, run.round, run.reviews_done) == (Status.AWAITING_REVIEW, 2, 1)
