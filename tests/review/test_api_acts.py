"""The REST calls that take back and place: the same rules as the pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from generation.models import Status
from review.models import Assignment, Claim, Placement, ReviewEvent
from tests.callers import Caller, pointers
from tests.factories import DraftFactory, RunFactory
from tests.people import a_reviewer, an_adjudicator

pytestmark = pytest.mark.django_db


def waiting_run(**fields: Any) -> Any:
    return DraftFactory(run=RunFactory(**fields)).run


@pytest.fixture
def person() -> Caller:
    return Caller(user=a_reviewer("ada"))


@pytest.fixture
def adjudicator() -> Caller:
    return Caller(user=an_adjudicator("ad"))


def test_a_persons_review_is_undone_and_the_run_is_theirs_again(person: Caller) -> None:
    run = waiting_run()
    review = person("POST", f"/runs/{run.id}/reviews", {"decision": "reject"}).json()
    undone = person("POST", f"/runs/{run.id}/undo")
    assert undone.status_code == 201
    assert (undone.json()["kind"], undone.json()["undoes"], undone.json()["reviewer"]) == (
        "undone", review["id"], "ada",
    )  # fmt: skip
    run.refresh_from_db()
    assert run.status == Status.AWAITING_REVIEW
    assert Claim.objects.get().reviewer.username == "ada"
    assert person("POST", f"/runs/{run.id}/undo").status_code == 409


def test_nobody_undoes_anothers_review(person: Caller, adjudicator: Caller) -> None:
    run = waiting_run()
    person("POST", f"/runs/{run.id}/reviews", {"decision": "reject"})
    assert adjudicator("POST", f"/runs/{run.id}/undo").status_code == 409
    assert ReviewEvent.objects.count() == 1


def test_who_leaves_a_review_out(person: Caller, adjudicator: Caller) -> None:
    run, other = waiting_run(), waiting_run()
    review = person("POST", f"/runs/{run.id}/reviews", {"decision": "reject"}).json()
    path = f"/runs/{run.id}/reviews/{review['id']}/leave-out"
    refused = Caller(user=a_reviewer("bo"))("POST", path)
    assert refused.status_code == 403 and "author" in refused.json()["detail"]
    assert person("POST", path.replace(str(run.id), str(other.id))).status_code == 404
    left = adjudicator("POST", path)
    assert (left.status_code, left.json()["kind"], left.json()["undoes"]) == (201, "left_out", review["id"])
    assert person("POST", path).status_code == 409
    run.refresh_from_db()
    assert (run.status, run.last_review_event_id) == (Status.REJECTED, None)


def test_set_aside_and_put_back(person: Caller, adjudicator: Caller) -> None:
    run = waiting_run()
    assert person("POST", f"/runs/{run.id}/set-aside").status_code == 403
    placed = adjudicator("POST", f"/runs/{run.id}/set-aside", {"why": " None "})
    assert placed.status_code == 201
    assert (placed.json()["kind"], placed.json()["person"], placed.json()["why"]) == (
        "set_aside",
        "ad",
        "None",
    )
    assert person.get(f"/runs/{run.id}").json()["set_aside"] is True
    assert person("POST", "/queue/claim").status_code == 204
    assert adjudicator("POST", f"/runs/{run.id}/set-aside").status_code == 409
    assert adjudicator("POST", f"/runs/{run.id}/put-back").json()["kind"] == "put_back"
    assert adjudicator("POST", f"/runs/{run.id}/put-back").status_code == 409
    assert person("POST", "/queue/claim").json()["id"] == str(run.id)
    assert Placement.objects.count() == 2


def test_a_reason_that_is_too_long(adjudicator: Caller) -> None:
    refused = adjudicator("POST", f"/runs/{waiting_run().id}/set-aside", {"why": "x" * 501})
    assert (refused.status_code, pointers(refused)) == (422, ["/why"])


def test_a_run_is_kept_for_one_person(person: Caller, adjudicator: Caller) -> None:
    run = waiting_run()
    path = f"/runs/{run.id}/assignment"
    assert person("PUT", path, {"person": "ada"}).status_code == 403
    kept = adjudicator("PUT", path, {"person": "ada", "hours": 2})
    assert kept.status_code == 200
    assert (kept.json()["person"], kept.json()["by"]) == ("ada", "ad")
    until = Assignment.objects.get().until
    assert timedelta(hours=1.9) < until - timezone.now() < timedelta(hours=2.1)
    assert adjudicator("POST", "/queue/claim").status_code == 204
    assert adjudicator("DELETE", path).status_code == 204
    assert adjudicator("DELETE", path).status_code == 204
    assert adjudicator("POST", "/queue/claim").json()["id"] == str(run.id)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"person": "nobody"}, "/person"),
        ({"person": "\u00e4" * 500}, "/person"),
        ({"person": "ada", "hours": 0}, "/hours"),
        ({"person": "ada", "hours": 1e300}, "/hours"),
        ({"person": "ada", "hours": "8"}, "/hours"),
        ({"person": "ada", "hours": True}, "/hours"),
        ({"hours": 1}, "/person"),
    ],
)
def test_a_bad_assignment_is_pointed_at(
    person: Caller, adjudicator: Caller, body: dict[str, Any], pointer: str
) -> None:
    refused = adjudicator("PUT", f"/runs/{waiting_run().id}/assignment", body)
    assert (refused.status_code, pointers(refused)) == (422, [pointer])


def test_what_is_not_up_for_review_is_kept_for_nobody(person: Caller, adjudicator: Caller) -> None:
    run = waiting_run(status=Status.APPROVED)
    refused = adjudicator("PUT", f"/runs/{run.id}/assignment", {"person": "ada"})
    assert refused.status_code == 409 and "approved" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["undo", "set-aside", "put-back", "reviews/1/leave-out"])
def test_a_service_is_no_person(path: str) -> None:
    refused = Caller()("POST", f"/runs/{waiting_run().id}/{path}")
    assert refused.status_code == 409 and "--user" in refused.json()["detail"]


def test_the_same_review_by_its_key_is_told_again_though_the_run_has_moved_on(person: Caller) -> None:
    run = waiting_run()
    body = {"decision": "reject", "notes": "No."}
    first = person("POST", f"/runs/{run.id}/reviews", body, Idempotency_Key="r1")
    person("POST", f"/runs/{run.id}/undo")
    again = person("POST", f"/runs/{run.id}/reviews", body, Idempotency_Key="r1")
    assert (again.status_code, again.json()) == (201, first.json())
    assert ReviewEvent.objects.filter(kind="submitted").count() == 1
    other = person("POST", f"/runs/{run.id}/reviews", {"decision": "approve"}, Idempotency_Key="r1")
    assert other.status_code == 409
    elsewhere = person("POST", f"/runs/{waiting_run().id}/reviews", body, Idempotency_Key="r1")
    assert elsewhere.status_code == 409
