"""The REST calls on reviews and the queue, over real HTTP."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from generation.models import Status
from review import recording
from review.models import Claim, ReviewEvent, ReviewForm
from tests.callers import Caller, pointers
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.people import a_reviewer
from tests.review.reviews import broken_history

pytestmark = pytest.mark.django_db
ITEM: dict[str, Any] = {
    "name": "A saw",
    "description": None,
    "specifications": [],
    "dimensions": {"length": {"value": 194, "unit": "mm"}},
    "sources": [],
}


def waiting_run(**fields: Any) -> Any:
    return DraftFactory(run=RunFactory(**fields)).run


@pytest.fixture
def person() -> Caller:
    return Caller(user=a_reviewer("ada"))


def test_a_persons_review(person: Caller) -> None:
    run = waiting_run()
    other = SubcategoryFactory(slug="saws")
    body = {
        "decision": "approve",
        "information_present": False,
        "missing_spec": [" Voltage ", "", "voltage", "Grösse"],
        "bad_format": True,
        "wrong_information": None,
        "notes": " Units!\n",
        "subcategory": "saws",
        "revision": 1,
    }
    response = person("POST", f"/runs/{run.id}/reviews", body)
    assert response.status_code == 201
    review = response.json()
    assert review["id"] == ReviewEvent.objects.get().pk
    assert (review["kind"], review["source"], review["reviewer"], review["service"]) == (
        "submitted", "person", "ada", None,
    )  # fmt: skip
    assert (review["run"], review["revision"], review["round"], review["sequence"]) == (str(run.id), 1, 1, 1)
    assert (review["information_present"], review["bad_format"], review["wrong_information"]) == (
        False,
        True,
        None,
    )
    assert (review["missing_spec"], review["notes"]) == (["Voltage", "Grösse"], " Units!\n")
    assert review["corrections"] == {"subcategory": {"from": run.subcategory.slug, "to": "saws"}}
    assert review["created_at"].endswith("Z")
    run.refresh_from_db()
    assert (run.status, run.subcategory) == (Status.APPROVED, other)
    assert person.get(f"/runs/{run.id}/reviews").json() == {"items": [review], "next_cursor": None}
    latest = person.get(f"/runs/{run.id}").json()["latest_review"]
    assert (latest["decision"], latest["reviewer"], latest["at"]) == ("approve", "ada", review["created_at"])


@pytest.mark.parametrize("half_filled", [False, True])
@pytest.mark.parametrize("service", [False, True])
@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "one"}])
@pytest.mark.parametrize(
    "said",
    [
        {"missing_spec": [" Voltage ", "voltage"], "bad_format": "yes", "notes": " Units! 😀\n"},
        {"corrections": {"/dimensions/length/value": 1e20}},
        {"subcategory": "saws"},
    ],
)
def test_a_review_is_answered_as_it_is_read_later(
    half_filled: bool, service: bool, headers: dict[str, str], said: dict[str, Any]
) -> None:
    SubcategoryFactory(slug="saws")
    ada = a_reviewer("ada")
    caller, run = Caller(user=None if service else ada), DraftFactory(content=ITEM).run
    if half_filled:
        recording.save_half_filled(run.pk, ada, recording.Fields(notes="begun"))
    answers = [caller("POST", f"/runs/{run.id}/reviews", {"decision": "approve"} | said, **headers) for _ in "12"]
    assert [answer.status_code for answer in answers] == [201, 201]
    first, again = (answer.json() for answer in answers)
    assert first == again == caller.client.get(first["url"]).json()
    assert (first["revision"], first["reviewer"]) == (1, None if service else "ada")


def test_drafts_and_reviews_are_read_where_their_addresses_lead(person: Caller) -> None:
    run = waiting_run()
    review = person("POST", f"/runs/{run.id}/reviews", {"decision": "approve"}).json()
    assert person.client.get(review["url"]).json() == review
    [draft] = person.get(f"/runs/{run.id}/drafts").json()["items"]
    assert person.client.get(draft["url"]).json() == draft
    page = person_client(person).get(f"/runs/{run.id}/").content.decode()
    for shown in (review, draft):
        address, _, anchor = shown["web_url"].partition("#")
        assert address.endswith(f"/runs/{run.id}/") and f'id="{anchor}"' in page
    assert person.get(f"/runs/{run.id}/drafts/2").status_code == 404
    assert person.get(f"/runs/{waiting_run().id}/reviews/{review['id']}").status_code == 404


def person_client(person: Caller) -> Client:
    client = Client()
    assert person.key.user
    client.force_login(person.key.user)
    return client


def test_a_services_review_is_a_machines() -> None:
    service = Caller()
    review = service("POST", f"/runs/{waiting_run().id}/reviews", {"decision": "reject"}).json()
    assert (review["source"], review["reviewer"], review["service"]) == ("machine", None, "test")


@pytest.mark.parametrize(
    ("said", "stored"),
    [(True, True), ("ja", True), ("Yes", True), (1, True), ("nein", False), ("N", False), (0, False), (None, None),
     ("maybe", None), ("", None), (2, None), (2.5e-42, None), ([], None), ({"yes": 1}, None)],
)  # fmt: skip
def test_yes_and_no_in_any_spelling(person: Caller, said: Any, stored: bool | None) -> None:
    body = {"decision": "approve", "wrong_information": said}
    review = person("POST", f"/runs/{waiting_run().id}/reviews", body).json()
    assert review["wrong_information"] is stored


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"decision": "maybe"}, "/decision"),
        ({"decision": None}, "/decision"),
        ({"missing_spec": "Voltage"}, "/missing_spec"),
        ({"missing_spec": [str(number) for number in range(51)]}, "/missing_spec"),
        ({"missing_spec": ["", "a", "A", " ", "x" * 81]}, "/missing_spec/4"),
        ({"missing_spec": None}, "/missing_spec"),
        ({"corrections": {"/nope/x": 1}}, "/corrections/~1nope~1x"),
        ({"corrections": {"nope": 1}}, "/corrections/nope"),
        ({"corrections": {"/a~1b": 1e300}}, "/corrections/~1a~01b"),
        ({"revision": True}, "/revision"),
        ({"revision": "1"}, "/revision"),
        ({"notes": "x" * 4001}, "/notes"),
        ({"notes": 7}, "/notes"),
        ({"subcategory": "nowhere"}, "/subcategory"),
        ({"revision": "newest"}, "/revision"),
        ({"rating": 5}, "/rating"),
    ],
)
def test_a_bad_field_is_pointed_at(person: Caller, change: dict[str, Any], pointer: str) -> None:
    run = waiting_run()
    response = person("POST", f"/runs/{run.id}/reviews", {"decision": "revise"} | change)
    assert response.status_code == 422
    assert pointers(response) == [pointer]
    assert not ReviewForm.objects.exists()


def test_what_is_no_name_is_refused_and_not_left_out(person: Caller) -> None:
    body = {"decision": "revise", "missing_spec": ["ok", 5, {"name": "Voltage"}, None, ["x"], True]}
    response = person("POST", f"/runs/{waiting_run().id}/reviews", body)
    assert response.status_code == 422
    assert pointers(response) == [f"/missing_spec/{number}" for number in range(1, 6)]
    assert not ReviewForm.objects.exists()


def test_every_bad_field_is_told(person: Caller) -> None:
    said = {
        "missing_spec": ["x" * 81, "fine", 7, "y" * 82],
        "notes": "n" * 4001,
        "subcategory": "nope",
        "bad_format": "whatever",
        "stars": 5,
    }
    told = ["/missing_spec/0", "/missing_spec/2", "/missing_spec/3", "/notes", "/stars", "/subcategory"]
    response = person("POST", f"/runs/{waiting_run().id}/reviews", {"decision": "maybe"} | said)
    assert sorted(pointers(response)) == ["/decision", *told]
    resolve = {"flow": "item", "stage": "extraction", "review": said}
    assert sorted(pointers(person("POST", "/prompts/resolve", resolve))) == [f"/review{place}" for place in told]
    resolve = {"flow": "item", "stage": "nope", "subcategory": "nope", "source": {"title": 7}}
    places = ["/source/title", "/stage", "/subcategory"]
    assert sorted(pointers(person("POST", "/prompts/resolve", resolve))) == places


@pytest.mark.parametrize("change", [{"missing_spec": [str(n) for n in range(50)]}, {"notes": "x" * 4000}])
def test_the_limits_themselves_are_taken(person: Caller, change: dict[str, Any]) -> None:
    response = person("POST", f"/runs/{waiting_run().id}/reviews", {"decision": "approve"} | change)
    assert response.status_code == 201


@pytest.mark.parametrize("status", [Status.QUEUED, Status.GENERATING, Status.STOPPED, Status.APPROVED])
def test_a_run_that_is_not_up_for_review(person: Caller, status: str) -> None:
    response = person("POST", f"/runs/{waiting_run(status=status).id}/reviews", {"decision": "approve"})
    assert response.status_code == 409
    assert not ReviewForm.objects.exists()


def test_a_revision_that_is_not_the_newest(person: Caller) -> None:
    run = waiting_run(revision=2)
    response = person("POST", f"/runs/{run.id}/reviews", {"decision": "approve", "revision": 1})
    assert response.status_code == 409
    assert "2" in response.json()["detail"]


def test_a_review_stands_where_the_history_fails(person: Caller) -> None:
    run = waiting_run()
    with broken_history():
        response = person("POST", f"/runs/{run.id}/reviews", {"decision": "approve", "bad_format": "yes"})
    assert response.status_code == 201
    assert (response.json()["id"], response.json()["bad_format"], response.json()["reviewer"]) == (
        None,
        True,
        "ada",
    )


def test_the_history_pages_and_costs_the_same(person: Caller, django_assert_num_queries: Any) -> None:
    run = waiting_run()
    for sequence in range(1, 31):
        ReviewEvent.objects.create(
            run=run, draft=run.drafts.get(), sequence=sequence, decision="revise", reviewer=UserFactory()
        )
    person.get("/subcategories")
    with django_assert_num_queries(4):  # the key, its count of calls, the run, the events
        first = person.get(f"/runs/{run.id}/reviews", limit=20).json()
    second = person.get(f"/runs/{run.id}/reviews", limit=20, cursor=first["next_cursor"]).json()
    assert [event["sequence"] for event in first["items"] + second["items"]] == list(range(1, 31))


def test_claim_and_give_back(person: Caller) -> None:
    run = waiting_run()
    response = person("POST", "/queue/claim", {})
    assert response.status_code == 200
    claimed = response.json()
    assert (claimed["id"], claimed["output"]) == (str(run.id), {"name": run.title})
    assert claimed["expires_at"].endswith("Z")
    assert claimed["arm"] is claimed["injections"] is None  # who judges must not know
    assert person.get(f"/runs/{run.id}").json().keys() < claimed.keys()
    other = Caller(user=a_reviewer("bo"))
    assert other("POST", "/queue/claim").status_code == 204
    assert other("POST", f"/runs/{run.id}/reviews", {"decision": "approve"}).status_code == 409
    assert other("DELETE", f"/queue/claims/{run.id}").status_code == 204  # not theirs: nothing happens
    assert Claim.objects.exists()
    assert person("DELETE", f"/queue/claims/{run.id}").status_code == 204
    assert other("POST", "/queue/claim").json()["id"] == str(run.id)


def test_a_claim_by_subcategory(person: Caller) -> None:
    waiting_run()
    wanted = waiting_run()
    body = {"flow": "item", "subcategory": wanted.subcategory.slug}
    assert person("POST", "/queue/claim", body).json()["id"] == str(wanted.id)


def test_one_run_is_fetched_ahead_and_another_skipped(person: Caller) -> None:
    runs = [str(waiting_run().id) for _ in range(3)]

    def next_one(*exclude: str) -> Any:
        response = person("POST", "/queue/claim", {"exclude": exclude})
        return response.json()["id"] if response.content else None

    shown = next_one()
    ahead = next_one(shown)
    assert (shown, ahead, next_one(shown)) == (runs[0], runs[1], runs[1])
    assert {str(run_id) for run_id in Claim.objects.values_list("run_id", flat=True)} == {shown, ahead}
    person("DELETE", f"/queue/claims/{shown}")  # skipped
    assert next_one(shown) == ahead
    assert next_one(shown, ahead) == runs[2] and next_one(*runs) is None
    assert next_one(*runs[1:]) == shown, "skipped and not gone"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"exclude": ["7"]}, "/exclude/0"),
        ({"exclude": str(uuid.uuid4())}, "/exclude"),
        ({"exclude": [str(uuid.uuid4()) for _ in range(201)]}, "/exclude"),
        ({"flow": "novel"}, "/flow"),
        ({"subcategory": "nowhere"}, "/subcategory"),
        ({"limit": 1}, "/limit"),
        (7, ""),
    ],
)
def test_a_bad_claim(person: Caller, body: Any, pointer: str) -> None:
    response = person("POST", "/queue/claim", body)
    assert response.status_code == 422
    assert pointers(response) == [pointer]


def test_as_many_as_may_be_left_out_are_taken(person: Caller) -> None:
    others = [str(uuid.uuid4()) for _ in range(200)]
    assert person("POST", "/queue/claim", {"exclude": others}).status_code == 204


def test_a_service_claims_nothing() -> None:
    run = waiting_run()
    for response in (Caller()("POST", "/queue/claim"), Caller()("DELETE", f"/queue/claims/{run.id}")):
        assert response.status_code == 409
        assert "--user" in response.json()["detail"]


def test_the_export_is_one_line_per_run(person: Caller) -> None:
    for _ in range(3):
        person("POST", f"/runs/{waiting_run().id}/reviews", {"decision": "approve", "notes": "a\nb"})
    response = person.get("/exports/reviews.jsonl", flow="item")
    assert response["Content-Type"] == "application/x-ndjson"
    lines = b"".join(response.streaming_content).decode().splitlines()
    assert [json.loads(line)["reviews"][0]["notes"] for line in lines] == ["a\nb"] * 3
    later = person.get("/exports/reviews.jsonl", since="2100-01-01")
    assert b"".join(later.streaming_content) == b""


@pytest.mark.parametrize(("name", "value"), [("flow", "novel"), ("since", "yesterday")])
def test_a_bad_export(person: Caller, name: str, value: str) -> None:
    response = person.get("/exports/reviews.jsonl", **{name: value})
    assert response.status_code == 422
    assert pointers(response) == [f"/{name}"]


def test_reviews_of_an_unknown_run_are_no_empty_list(person: Caller) -> None:
    assert person.get(f"/runs/{uuid.uuid4()}/reviews").status_code == 404


def test_a_key_of_somebody_who_is_no_reviewer_reviews_nothing() -> None:
    run = RunFactory()
    outsider = Caller(user=UserFactory())
    for method, path, body in (
        ("POST", f"/runs/{run.pk}/reviews", {"decision": "approve"}),
        ("POST", "/queue/claim", {}),
        ("DELETE", f"/queue/claims/{run.pk}", None),
    ):
        response = outsider(method, path, body)
        assert response.status_code == 403
        assert "no reviewer" in response.json()["detail"]
    assert not run.review_events.exists()
