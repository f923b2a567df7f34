"""Nobody who may still review a run knows what the others say nor, where that was chosen, what the judge found."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from generation.models import Batch, Call, Draft, Judgement, JudgeOutcome, NodeEvent, Run, Status
from review.blindness import sees_reviews
from review.exports.stream import portions
from review.exports.wanted import KINDS, Wanted
from review.models import Claim, ReviewEvent
from tests import people
from tests.callers import Caller
from tests.factories import DraftFactory, RunFactory
from tests.people import a_reviewer
from tests.review import panels
from tests.review.panels import policy, say

pytestmark = pytest.mark.django_db
SECRETS = ("secret-note", "secret-field", "secret-value", "Rejected", "reject")
JUDGED = ("secret-feedback", "failed it", "Needs human review", "needs_human_review", "after 1 fix", "revision 2")


@pytest.fixture
def batch() -> Batch:
    return Batch.objects.create(name="Batch")


@pytest.fixture
def run(batch: Batch) -> Run:
    """Escalated by its judge after a fix."""
    run: Run = RunFactory(
        batch=batch, status=Status.NEEDS_HUMAN_REVIEW, judge_outcome=JudgeOutcome.NEEDS_HUMAN_REVIEW, revision=2,
        error={"code": "exhausted", "detail": "failed it: secret-feedback"},
    )  # fmt: skip
    for revision in (1, 2):
        draft: Draft = DraftFactory(run=run, revision=revision, content={"name": f"Drill {revision}"})
        Judgement.objects.create(
            run=run, draft=draft, round=1, cycle=revision, kind="supervisor", outcome="failed",
            result={"feedback": "secret-feedback"},
        )  # fmt: skip
        Call.objects.create(run=run, stage="supervisor", provider="demo", cycle=revision, answer="secret-feedback")
        for kind in ("node_enter", "node_complete"):
            NodeEvent.objects.create(run=run, kind=kind, node="supervisor", badge="REVIEW", attempt=revision)
    return run


def pages(run: Run) -> list[str]:
    assert run.subcategory is not None
    return [
        f"/runs/{run.pk}/", "/queue/", "/queue/?view=reviewed", "/", f"/batches/{run.batch_id}/", "/learning/",
        f"/learning/{run.subcategory.slug}/", f"/learning/after/{run.pk}/", f"/learning/run/{run.pk}/",
        f"/runs/{run.pk}/record.json/", f"/runs/{run.pk}/progress/",
    ]  # fmt: skip


CALLS = ("", "/reviews", "/drafts", "/calls", "/drafts/1", "/drafts/2")


def told(run: Run, user: User) -> str:
    """All that pages and REST tell this person, but what a page says of the form itself."""
    web, caller = people.signed_in(user), Caller(user=user)
    texts = [
        re.sub(r'<option.*?</option>|(value|class)="reject"', "", web.get(address).text, flags=re.DOTALL)
        for address in pages(run)
    ]
    one_by_one = [f"/reviews/{event.pk}" for event in ReviewEvent.objects.filter(run=run)]
    texts += [caller.get(f"/runs/{run.pk}{call}").content.decode() for call in (*CALLS, *one_by_one)]
    texts += [caller.get("/runs").content.decode(), *(exported(kind, user) for kind in KINDS)]
    claim = caller("POST", "/queue/claim")
    texts.append(claim.content.decode() if claim.status_code == 200 else "")
    return "\n".join(texts)


def exported(kind: str, user: User | None) -> str:
    wanted = Wanted(kind, viewer_id=user.pk if user else None)
    return b"".join(portion.data for portion in portions(wanted)).decode()


def found(text: str, words: tuple[str, ...]) -> list[str]:
    """ "reject" alone is the button's; as a decision it stands in quotes."""
    return [word for word in words if (f'"{word}"' if word == "reject" else word) in text]


SAID: dict[str, Any] = {
    "notes": "secret-note", "missing_spec": ["secret-field"], "values": {"/name": "secret-value"},
}  # fmt: skip


def test_the_others_know_nothing_of_a_review_before_it_is_decided(run: Run) -> None:
    policy(reviewers=3)
    mia, tom, ada = panels.three()
    admin = User.objects.create_superuser("root")
    say(run, mia, "reject", **SAID)
    assert found(told(run, mia), SECRETS) == ["secret-note", "secret-field", "secret-value", "Rejected", "reject"]
    for user in (tom, ada, admin):
        assert found(told(run, user), SECRETS) == [], user
    assert ReviewEvent.objects.get().blind


def test_a_service_and_an_export_without_a_person_are_told_all(run: Run) -> None:
    policy()
    mia, _tom, _ada = panels.three()
    say(run, mia, "reject", **SAID)
    assert "secret-note" in Caller().get(f"/runs/{run.pk}/reviews").content.decode()
    assert "secret-note" in exported("reviews", None)


def test_who_decides_between_them_sees_both_and_others_do_not(run: Run) -> None:
    policy()
    mia, tom, ada = panels.three()
    say(run, mia, "reject", **SAID)
    say(run, tom, "approve", notes="toms-note")
    page = people.signed_in(ada).get(f"/runs/{run.pk}/").text
    for words in ("The reviewers disagree", "secret-note", "toms-note", "secret-field", "secret-value", "differs"):
        assert words in page
    assert "secret-note" in Caller(user=ada).get(f"/runs/{run.pk}/reviews").content.decode()
    for user in (tom, a_reviewer("eve")):
        assert found(told(run, user), SECRETS) == [], user


def test_history_shows_all_once_it_is_decided(run: Run) -> None:
    policy()
    mia, tom, _ada = panels.three()
    say(run, mia, notes="mias-note")
    say(run, tom, notes="toms-note")
    page = people.signed_in(mia).get(f"/runs/{run.pk}/").text
    assert "mias-note" in page and "toms-note" in page and page.count(", blind") == 2


@pytest.mark.parametrize("reviewers", [1, 2])
def test_the_judge_is_hidden_until_one_has_submitted(run: Run, reviewers: int) -> None:
    policy(reviewers=reviewers, blind_to_judge=True)
    mia, tom, ada = panels.three()
    for user in (mia, tom, ada):
        assert found(told(run, user), JUDGED) == [], user
        assert people.signed_in(user).get(f"/runs/{run.pk}/changes/").status_code == 404
    Claim.objects.all().delete()
    event = say(run, mia).event
    assert event and event.blind
    assert "secret-feedback" in told(run, mia)
    if reviewers == 2:
        assert found(told(run, tom), JUDGED) == []


def test_where_one_reviews_a_run_alone_everybody_sees_the_reviews(run: Run) -> None:
    assert not run.needs_several and sees_reviews(run, a_reviewer("ole"))


def test_without_that_choice_the_judge_is_shown(run: Run) -> None:
    policy()
    mia, _tom, _ada = panels.three()
    assert {"secret-feedback", "failed it", "revision 2"} <= set(found(told(run, mia), JUDGED))


def test_the_head_says_which_review_it_is_and_the_form_what_comes_next(run: Run) -> None:
    policy()
    mia, tom, ada = panels.three()

    def page(user: User) -> str:
        return people.signed_in(user).get(f"/runs/{run.pk}/").text

    assert "review 1 of 2, blind" in page(mia) and "waits for a second reviewer" in page(mia)
    say(run, mia)
    own = page(mia)
    assert "You have reviewed this run; another reviewer decides next." in own and "1 of 2 reviews are in" in own
    assert "the form opens here once it is free" not in own
    assert "review 2 of 2, blind" in page(tom) and "else an adjudicator decides" in page(tom)
    say(run, tom, "reject")
    assert "reviewers disagree" in page(ada) and "Your decision takes effect" in page(ada)
    assert "an adjudicator decides" in page(a_reviewer("eve"))


def test_submitting_in_the_browser_says_that_it_waits(run: Run) -> None:
    policy()
    mia, tom, _ada = panels.three()
    web = people.signed_in(mia)
    data = {"decision": "approve", "revision": "2"}
    answer = web.post(f"/runs/{run.pk}/review/", data, follow=True)
    assert "is in; it waits for the others" in answer.text and "See its prompt" not in answer.text
    assert people.signed_in(tom).post(f"/runs/{run.pk}/review/", data, follow=True).status_code == 200
    run.refresh_from_db()
    assert run.status == Status.APPROVED


def test_rest_keeps_the_same_rules(run: Run) -> None:
    policy(four_eyes=True)
    mia, tom, _ada = panels.three()
    Run.objects.filter(pk=run.pk).update(author=tom)
    first, second = Caller(user=mia), Caller(user=tom)
    assert first("POST", f"/runs/{run.pk}/reviews", {"decision": "approve"}).status_code == 201
    seen = second.get(f"/runs/{run.pk}").json()
    assert (seen["reviews_needed"], seen["reviews_done"], seen["reviewers_disagree"]) == (2, 1, False)
    refused = second("POST", f"/runs/{run.pk}/reviews", {"decision": "approve"})
    assert refused.status_code == 409 and "four eyes" in refused.json()["detail"]
    again = first("POST", f"/runs/{run.pk}/reviews", {"decision": "reject"})
    assert again.status_code == 409 and "You have reviewed this run" in again.json()["detail"]
    assert first("POST", "/queue/claim").status_code == 204
    assert second("POST", "/queue/claim").status_code == 204  # of their own making


def test_what_a_person_makes_over_rest_is_of_their_making() -> None:
    policy(reviewers=1, four_eyes=True)
    mia, _tom, _ada = panels.three()
    body = {"flow": "item", "source": {"title": "Drill"}}
    caller = Caller(user=mia)
    caller("POST", "/runs", body)
    caller("POST", "/runs/batch", {"runs": [body]})
    Caller()("POST", "/runs", body)
    assert sorted(str(run.author) for run in Run.objects.all()) == ["None", "mia", "mia"]
    assert all(run.four_eyes for run in Run.objects.all())
