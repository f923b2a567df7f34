"""Two or more reviewers: whose turn it is, what their reviews come to, and who decides between them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from generation.errors import Conflict
from generation.models import Batch, Call, Draft, Run, Status
from review import assigning, panel
from review.filters import Filters
from review.models import Assignment, Claim, ReviewEvent, ReviewForm
from review.pages.listing import PER_PAGE, listing
from review.queue import claim_next, take
from review.recording import Fields, submit, undo
from tests.factories import RunFactory
from tests.people import a_reviewer
from tests.review import panels
from tests.review.panels import policy, say
from tests.review.reviews import broken_history, now
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db
MATERIAL = {"specifications": [{"name": "Torque", "value": 60, "unit": "Nm"}], "name": "Drill"}


def claimed(user: User) -> Run | None:
    claim = claim_next(user)
    return claim.run if claim else None


@pytest.mark.parametrize(
    ("of_flow", "of_batch", "in_batch", "needed"),
    [
        (None, None, False, 1),
        (2, None, False, 2),
        (2, None, True, 2),
        (2, 3, True, 3),
        (2, 1, True, 1),
        (None, 3, False, 1),
    ],
)
def test_the_policy_of_a_batch_goes_before_the_flows(
    of_flow: int | None, of_batch: int | None, in_batch: bool, needed: int
) -> None:
    batch = Batch.objects.create(name="b")
    if of_flow:
        policy(reviewers=of_flow)
    if of_batch:
        policy(batch=batch, reviewers=of_batch)
    assert panels.waiting(batch=batch if in_batch else None).reviews_needed == needed


def test_a_changed_policy_holds_for_runs_that_nobody_has_reviewed() -> None:
    mia, _tom, _ada = panels.three()
    fresh, other_flow, decided = panels.waiting(), panels.waiting(flow="change"), panels.waiting()
    say(decided, mia)
    found = policy(four_eyes=True)
    begun = panels.waiting()
    say(begun, mia)
    found.reviewers, found.four_eyes = 3, False
    found.save()
    panel.apply(found)
    seen = {run.pk: (run.reviews_needed, run.four_eyes) for run in Run.objects.all()}
    assert seen == {fresh.pk: (3, False), other_flow.pk: (1, False), decided.pk: (1, False), begun.pk: (2, True)}


def test_the_first_of_two_leaves_the_run_to_others() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    assert claimed(mia) == run
    recorded = say(run, mia)
    assert recorded.event and recorded.event.blind and not recorded.decided
    found = now(run)
    assert (found.status, found.reviews_done, found.latest_review) == (Status.AWAITING_REVIEW, 1, None)
    assert claimed(mia) is None and not Claim.objects.exists()
    with pytest.raises(Conflict, match="another reviewer decides next"):
        take(run.pk, mia)
    assert claimed(tom) == run


def test_the_same_review_sent_twice_is_one_and_another_is_refused() -> None:
    policy()
    mia, _tom, _ada = panels.three()
    run = panels.waiting()
    assert say(run, mia).form == say(run, mia).form
    with pytest.raises(Conflict, match="You have reviewed this run"):
        say(run, mia, "reject")
    assert ReviewEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ({}, {}, "approved"),
        ({"bad_format": True}, {"bad_format": False, "notes": "n"}, "approved"),
        ({"decision": "reject"}, {"decision": "reject"}, "rejected"),
        ({"decision": "revise"}, {"decision": "revise"}, "queued"),
        ({}, {"decision": "revise"}, "disagree"),
        ({"values": {"/name": "Saw"}}, {"values": {"/name": "Saw"}}, "approved"),
        ({"values": {"/name": "Saw"}}, {"values": {"/name": "Drill"}}, "disagree"),
        ({"values": {"/name": "Drill"}}, {}, "approved"),  # what stands there already is no correction
        ({"values": {"/name": "Saw"}}, {}, "disagree"),
        ({"decision": "reject", "values": {"/name": "Saw"}}, {"decision": "reject"}, "rejected"),
    ],
)
def test_what_two_reviews_come_to(first: dict[str, Any], second: dict[str, Any], outcome: str) -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting(content=MATERIAL)
    say(run, mia, **first)
    assert now(run).revision == 1  # nothing is corrected before it is decided
    say(run, tom, **second)
    found = now(run)
    assert found.reviewers_disagree is (outcome == "disagree")
    assert found.status == (Status.AWAITING_REVIEW if outcome == "disagree" else outcome)
    corrected = outcome == "approved" and first.get("values") == {"/name": "Saw"}
    assert found.revision == 1 + corrected
    if corrected:
        draft = Draft.objects.get(run=run, revision=2)
        assert (draft.content["name"], draft.author) == ("Saw", tom)


def test_the_summary_is_of_all_and_each_event_keeps_its_own() -> None:
    policy(reviewers=3)
    mia, tom, ada = panels.three()
    run = panels.waiting()
    say(run, mia, bad_format=True, wrong_information=False, missing_spec=["Weight"], notes="a")
    say(run, tom, bad_format=True, wrong_information=True, information_present=False, notes="b")
    say(run, ada, bad_format=False, information_present=True, missing_spec=["Noise", "Weight"], notes="a")
    told = now(run).latest_review
    assert told is not None
    assert {name: told[name] for name in ("bad_format", "wrong_information", "information_present")} == {
        "bad_format": True, "wrong_information": True, "information_present": False,
    }  # fmt: skip
    assert (told["missing_spec"], told["notes"], told["reviewer"], told["reviews"]) == (
        ["Weight", "Noise"],
        "a\n\nb",
        "ada",
        3,
    )
    assert list(ReviewEvent.objects.order_by("id").values_list("bad_format", flat=True)) == [True, True, False]


def disagreed(run: Run, mia: User, tom: User) -> None:
    say(run, mia, "approve")
    say(run, tom, "reject")


def test_an_adjudicator_decides_between_those_who_disagree() -> None:
    policy()
    mia, tom, ada = panels.three()
    run = panels.waiting()
    disagreed(run, mia, tom)
    assert [item.reason.text for item in listing(Filters(), mia).items] == ["Reviewers disagree"]
    assert claimed(mia) is claimed(a_reviewer("eve")) is None
    with pytest.raises(Conflict, match="an adjudicator decides"):
        say(run, User.objects.get(username="eve"))
    assert claimed(ada) == run
    recorded = say(run, ada, "reject")
    assert recorded.event and not recorded.event.blind
    found = now(run)
    assert (found.status, found.reviewers_disagree, found.reviews_done) == (Status.REJECTED, False, 2)
    assert found.latest_review and found.latest_review["reviewer"] == "ada"


def test_an_adjudicator_who_is_one_of_them_does_not_decide() -> None:
    policy()
    mia, _tom, ada = panels.three()
    run = panels.waiting()
    disagreed(run, mia, ada)
    assert claimed(ada) is None and not panel.adjudicates(now(run), ada)
    with pytest.raises(Conflict, match="another adjudicator"):
        say(run, ada)
    assert claimed(panels.adjudicator("bob")) == run


def test_a_service_is_none_of_the_reviewers() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    submit(run.pk, Fields("reject"), service="ci")
    say(run, mia)
    submit(run.pk, Fields("reject"), service="cd")
    assert (now(run).status, now(run).reviews_done) == (Status.AWAITING_REVIEW, 1)
    say(run, tom)
    assert now(run).status == Status.APPROVED
    assert ReviewEvent.objects.filter(source="machine").count() == 2


@pytest.mark.parametrize("who", ["mia", "tom"])
def test_each_takes_the_own_review_back_until_it_is_decided(who: str) -> None:
    policy()
    mia, tom, ada = panels.three()
    run = panels.waiting()
    disagreed(run, mia, tom)
    undo(run.pk, User.objects.get(username=who))
    found = now(run)
    assert (found.reviews_done, found.reviewers_disagree) == (1, False)
    assert claimed(ada) is None  # whoever took it back holds it
    other = {"mia": "reject", "tom": "approve"}[who]
    say(run, User.objects.get(username=who), other)
    assert now(run).status == {"mia": Status.REJECTED, "tom": Status.APPROVED}[who]


def test_the_first_takes_it_back_before_the_second_and_not_the_form_of_who_holds_it() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    say(run, mia, notes="mine")
    assert claimed(tom) == run
    undo(run.pk, mia)
    assert Claim.objects.get().reviewer == tom
    form = ReviewForm.objects.get()
    assert (form.state, form.notes, now(run).reviews_done) == ("half_filled", "mine", 0)
    say(run, tom)
    Claim.objects.all().delete()
    say(run, mia)
    assert now(run).status == Status.APPROVED


def test_once_decided_only_the_last_takes_it_back() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    say(run, mia)
    say(run, tom)
    with pytest.raises(Conflict, match="your review stands"):
        undo(run.pk, mia)
    undo(run.pk, tom)
    assert (now(run).status, now(run).reviews_done) == (Status.AWAITING_REVIEW, 1)
    assert claimed(mia) is None
    undo(run.pk, mia)  # not decided any more
    assert now(run).reviews_done == 0


def test_an_adjudicators_decision_taken_back_leaves_the_disagreement() -> None:
    policy()
    mia, tom, ada = panels.three()
    run = panels.waiting()
    disagreed(run, mia, tom)
    say(run, ada)
    for one in (mia, tom):
        with pytest.raises(Conflict):
            undo(run.pk, one)
    undo(run.pk, ada)
    assert (now(run).status, now(run).reviewers_disagree) == (Status.AWAITING_REVIEW, True)
    assert claimed(ada) == run


def test_a_revise_of_both_begins_a_round_that_both_review_again() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    for one in (mia, tom):
        say(run, one, "revise")
    found = now(run)
    assert (found.status, found.round, found.reviews_done, found.reviews_needed) == (Status.QUEUED, 2, 0, 2)
    undo(run.pk, tom)
    found = now(run)
    assert (found.status, found.round, found.reviews_done) == (Status.AWAITING_REVIEW, 1, 1)
    say(run, tom, "revise")
    Draft.objects.create(run=run, revision=2, round=2, content={"name": "x"}, made_by="extraction")
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW, revision=2)
    assert claimed(mia) == run


def test_a_revise_that_is_taken_back_once_its_round_has_begun_takes_the_others_review_along() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    for one in (mia, tom):
        say(run, one, "revise")
    Call.objects.create(run=run, round=2, stage="extraction", provider="demo")
    undo(run.pk, tom)
    found = now(run)
    assert (found.status, found.round, found.reviews_done) == (Status.AWAITING_REVIEW, 2, 1)
    assert [vote.reviewer for vote in panel.votes(found)] == [mia]
    assert say(run, tom, "revise").decided


def test_a_decision_that_is_in_no_history_yet_lets_the_others_count() -> None:
    policy()
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    first = say(run, mia).event
    assert first and now(run).last_review_event_id is None
    with broken_history():
        last = say(run, tom)
    assert (last.decided, last.event) == (True, None)
    assert now(run).last_review_event_id == first.pk


# ---------- the queue ----------


def test_taking_it_back_gives_the_run_its_place_in_the_queue_again() -> None:
    policy()
    mia, tom, _ada = panels.three()
    first, second = panels.waiting(), panels.waiting()
    say(first, mia)
    assert waiting_ids() == [second.pk, first.pk]
    undo(first.pk, mia)
    assert waiting_ids() == [first.pk, second.pk]
    say(first, mia)
    Claim.objects.all().delete()
    say(second, tom)
    assert waiting_ids() == [first.pk, second.pk], "in the order in which they wait for the next"


def test_those_who_disagree_come_first_for_who_decides() -> None:
    policy()
    mia, tom, ada = panels.three()
    older, run = panels.waiting(status=Status.NEEDS_HUMAN_REVIEW), panels.waiting()
    Run.objects.filter(pk=older.pk).update(status=Status.AWAITING_REVIEW)
    disagreed(run, mia, tom)
    assert waiting_ids() == [run.pk, older.pk]
    assert claimed(ada) == run and claimed(mia) == older


def test_a_run_is_assigned_to_somebody_who_may_review_it() -> None:
    policy(four_eyes=True)
    mia, tom, ada = panels.three()
    own, begun, fresh = panels.waiting(author=mia), panels.waiting(), panels.waiting()
    say(begun, mia)
    ids = [own.pk, begun.pk, fresh.pk]
    assert assigning.assign(ids, mia, ada) == 1 and assigning.assign(ids, tom, ada) == 3
    assert set(Assignment.objects.values_list("person__username", flat=True)) == {"tom"}


# ---------- four eyes ----------


@pytest.mark.parametrize("how", ["made", "corrected"])
def test_nobody_approves_what_is_of_their_own_making(how: str) -> None:
    policy(reviewers=1, four_eyes=True)
    mia, tom, _ada = panels.three()
    run = panels.waiting(**({"author": mia} if how == "made" else {"revision": 2, "round": 2}))
    if how == "corrected":
        Draft.objects.create(run=run, revision=1, round=1, content={}, made_by="person", author=mia)
    assert claimed(mia) is None
    with pytest.raises(Conflict, match="four eyes"):
        say(run, mia)
    assert claimed(tom) == run
    say(run, tom)
    assert now(run).status == Status.APPROVED


def test_without_four_eyes_it_is_theirs_to_approve_and_with_them_to_send_back() -> None:
    mia, _tom, _ada = panels.three()
    say(panels.waiting(author=mia), mia)
    policy(reviewers=1, four_eyes=True)
    say(panels.waiting(author=mia), mia, "revise")
    assert set(Run.objects.values_list("status", flat=True)) == {Status.APPROVED, Status.QUEUED}


@pytest.mark.parametrize("count", [10, 100])
def test_claiming_and_listing_take_as_many_queries_whatever_waits(count: int) -> None:
    policy(blind_to_judge=True, four_eyes=True)
    mia, tom, _ada = panels.three()
    subcategory = panels.waiting().subcategory
    for _n in range(count - 1):
        RunFactory(subcategory=subcategory)
    for run in Run.objects.all()[:5]:
        say(run, mia)
    with CaptureQueriesContext(connection) as queries:
        assert len(listing(Filters(), mia).items) == min(count, PER_PAGE)
    assert len(queries) == 12
    tom = User.objects.get(pk=tom.pk)
    tom.has_perm("")
    with CaptureQueriesContext(connection) as queries:
        assert claimed(tom)
    assert len(queries) == 2


def test_without_the_trigger_one_person_reviews() -> None:
    with connection.cursor() as cursor:
        cursor.execute(panel._REMOVE)
        mia, _tom, _ada = panels.three()
        run = panels.waiting()
        say(run, mia)
        assert now(run).status == Status.APPROVED and now(run).reviews_needed is None
        cursor.execute(panel.SQL.read_text())
    assert panels.waiting().reviews_needed == 1
