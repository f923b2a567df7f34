"""The REST calls on runs, over real HTTP."""

import uuid
from typing import Any

import pytest

from generation.models import Batch, Call, Draft, Injection, Institution, Judgement, Run, Status
from tests.callers import Caller, pointers
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
ITEM = {"flow": "item", "source": {"title": "Cordless drill", "text": "18 V, 1.8 kg"}}
KEYS = {
    "id", "flow", "subcategory", "institution", "batch", "external_id", "status", "judge_outcome", "provider",
    "model", "revision", "round", "arm", "source", "output", "error", "latest_review", "judgements", "injections",
    "usage", "created_at", "finished_at",
}  # fmt: skip


@pytest.fixture
def call() -> Caller:
    return Caller()


def test_make_a_run(call: Caller) -> None:
    SubcategoryFactory(slug="drills")
    Institution.objects.create(slug="shop", name="Shop")
    body = {
        **ITEM,
        "subcategory": "drills",
        "institution": "shop",
        "external_id": "A 1",
        "metadata": {"shelf": [4]},
    }
    response = call("POST", "/runs", body)
    assert response.status_code == 202
    run = response.json()
    assert run.keys() >= KEYS
    assert response["Location"] == f"http://testserver/api/v1/runs/{run['id']}"
    assert run["status"] == "queued"
    assert (run["subcategory"], run["institution"], run["external_id"]) == ("drills", "shop", "A 1")
    assert (run["source"], run["metadata"], run["output"]) == (ITEM["source"], {"shelf": [4]}, None)
    assert run["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0}
    assert run["created_at"].endswith("Z")
    assert call.get(f"/runs/{run['id']}").json() == run


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"flow": "item"}, "/source"),
        ({**ITEM, "flow": "novel"}, "/flow"),
        ({**ITEM, "source": {}}, "/source"),
        ({**ITEM, "source": {"title": "x", "colour": "red"}}, "/source/colour"),
        ({**ITEM, "subcategory": "nowhere"}, "/subcategory"),
        ({**ITEM, "institution": "nowhere"}, "/institution"),
        ({**ITEM, "priority": 1}, "/priority"),
        ({**ITEM, "options": {"review_max_fix_attempts": -1}}, "/options/review_max_fix_attempts"),
        ({**ITEM, "metadata": {"a": ["b\x00"]}}, "/metadata/a/0"),
        ({**ITEM, "metadata": {"a": "\ud800"}}, "/metadata/a"),
        ([], ""),
        ("{", ""),
        ('{"flow": NaN}', ""),
        ('{"flow": 1e999}', "/flow"),
        ("[" * 100_000, ""),
        ({**ITEM, "metadata": {"a~/b": ["\x00"]}}, "/metadata/a~0~1b/0"),
        ('{"metadata": ' + "[" * 101 + "]" * 101 + "}", "/metadata" + "/0" * 100),
        ("", ""),
    ],
)
def test_a_bad_field_is_pointed_at(call: Caller, body: Any, pointer: str) -> None:
    response = call("POST", "/runs", body)
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    assert pointer in pointers(response)
    assert not Run.objects.exists()


def test_all_bad_fields_at_once(call: Caller) -> None:
    assert pointers(call("POST", "/runs", {**ITEM, "colour": 1, "size": 2})) == ["/colour", "/size"]


def test_an_unknown_name_is_told_beside_other_bad_fields(call: Caller) -> None:
    SubcategoryFactory(slug="drills")
    bad = {"flow": "item", "subcategory": " nowhere ", "institution": "nobody", "source": {"title": 7}, "x": 1}
    places = ["/institution", "/source/title", "/subcategory", "/x"]
    assert sorted(pointers(call("POST", "/runs", bad))) == places
    rows = [ITEM, bad, bad | {"subcategory": "drills", "institution": 7}, bad | {"subcategory": "\0"}]
    told = call("POST", "/runs/batch", {"runs": rows[:3]}).json()["errors"]
    assert sorted(field["pointer"] for field in told[0]["errors"]) == [f"/runs/1{place}" for place in places]
    assert sorted(field["pointer"] for field in told[1]["errors"]) == [
        f"/runs/2{place}" for place in places if place != "/subcategory"
    ]
    assert sorted(pointers(call("POST", "/runs", bad | {"subcategory": "x" * 101}))) == places
    assert pointers(call("POST", "/runs", rows[3])) == ["/subcategory"]


def test_the_same_idempotency_key_and_body_give_the_same_run(call: Caller) -> None:
    first = call("POST", "/runs", ITEM, Idempotency_Key="a")
    again = call("POST", "/runs", dict(reversed(ITEM.items())), Idempotency_Key="a")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    other = call("POST", "/runs", {**ITEM, "external_id": "b"}, Idempotency_Key="a")
    assert other.status_code == 409
    assert Run.objects.count() == 1
    assert Caller()("POST", "/runs", ITEM, Idempotency_Key="a").json()["id"] != first.json()["id"]


def test_an_idempotency_key_that_is_too_long(call: Caller) -> None:
    assert call("POST", "/runs", ITEM, Idempotency_Key="a" * 201).status_code == 422


def test_a_batch_takes_the_good_and_names_the_bad(call: Caller) -> None:
    response = call("POST", "/runs/batch", {"name": "May", "runs": [ITEM, {**ITEM, "source": {"x": 1}}, 7, ITEM]})
    assert response.status_code == 202
    answer = response.json()
    assert answer["created"] == 2
    assert [bad["index"] for bad in answer["errors"]] == [1, 2]
    assert "/runs/1/source/x" in [field["pointer"] for field in answer["errors"][0]["errors"]]
    assert Batch.objects.get(pk=answer["batch"]).name == "May"
    listed = call.get("/runs", batch=answer["batch"]).json()["items"]
    assert {run["id"] for run in listed} == set(answer["runs"])


def test_a_row_is_told_as_a_body_is(call: Caller) -> None:
    many = {f"{number:03}" + "x" * 1000: 1 for number in range(100)}
    rows = [{"flow": "item"}, 7, {**ITEM, "flow": "x" * 10_000}, {**ITEM, **many}]
    response = call("POST", "/runs/batch", {"runs": rows})
    told = response.json()["errors"]
    assert [row["detail"] for row in told[:2]] == ["Field required", "Input should be an object"]
    assert told[0]["errors"] == [{"pointer": "/runs/0/source", "detail": "Field required"}]
    assert told[3]["detail"] == "100 fields are not right: the first 20 are named, and 80 more."
    assert len(told[3]["errors"]) == 20 and len(response.content) < 10_000


def test_a_batch_of_bad_runs_alone_is_none(call: Caller) -> None:
    bad = {"runs": [{**ITEM, "flow": "novel"}, {**ITEM, "subcategory": "nowhere"}]}
    for _ in range(2):  # sent again it is answered the same
        response = call("POST", "/runs/batch", bad, Idempotency_Key="a")
        assert response.status_code == 202
        answer = response.json()
        assert answer == {
            "batch": None, "created": 0, "runs": [], "errors": answer["errors"], "url": None, "web_url": None
        }  # fmt: skip
        assert [row["index"] for row in answer["errors"]] == [0, 1]
    assert not Batch.objects.exists()


def test_a_refusal_is_small_however_large_the_body(call: Caller) -> None:
    for body in ({**ITEM, "flow": "x" * 3_000_000}, {**ITEM, "x" * 3_000_000: 1}):
        response = call("POST", "/runs", body)
        assert response.status_code == 422 and len(response.content) < 2000


def test_what_is_stored_of_a_body_grows_little(call: Caller) -> None:
    """PostgreSQL writes exponents out."""
    refused = call("POST", "/runs", {**ITEM, "metadata": {"n": [1e308] * 60_000}})
    assert refused.status_code == 422 and pointers(refused) == ["/metadata"]
    refused = call("POST", "/runs", {**ITEM, "metadata": {"n": [1e308] * 60}})
    assert pointers(refused) == [f"/metadata/n/{number}" for number in range(20)]
    assert "and 40 more" in refused.json()["detail"]
    largest = call("POST", "/runs", {**ITEM, "metadata": {"n": [1e39] * 1500}})
    assert largest.status_code == 202 and len(largest.content) < 70_000


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"runs": []}, "/runs"),
        ({"runs": [ITEM] * 1001}, "/runs"),
        ({}, "/runs"),
        ({"runs": [ITEM], "order": 1}, "/order"),
        ({"runs": [ITEM], "name": "x" * 201}, "/name"),
        ({"runs": [ITEM], "parallel": "yes"}, "/parallel"),
        ({"runs": [ITEM], "economy": 1}, "/economy"),
    ],
)
def test_a_bad_batch(call: Caller, body: Any, pointer: str) -> None:
    response = call("POST", "/runs/batch", body)
    assert response.status_code == 422
    assert pointers(response) == [pointer]
    assert not Batch.objects.exists()


def test_the_largest_batch(call: Caller) -> None:
    assert call("POST", "/runs/batch", {"runs": [ITEM] * 1000}).json()["created"] == 1000


def test_the_list_pages_newest_first(call: Caller) -> None:
    made = [str(RunFactory().id) for _ in range(5)]
    first = call.get("/runs", limit=3).json()
    second = call.get("/runs", limit=3, cursor=first["next_cursor"]).json()
    assert [run["id"] for run in first["items"] + second["items"]] == made[::-1]
    assert second["next_cursor"] is None


def test_the_list_filters(call: Caller) -> None:
    wanted = RunFactory(status=Status.FAILED, external_id="A 1", batch=Batch.objects.create())
    RunFactory()
    event = ReviewEventFactory(run=wanted)
    ReviewEventFactory(run=wanted, reviewer=event.reviewer)
    filters = {
        "status": "failed",
        "subcategory": wanted.subcategory.slug,
        "batch": wanted.batch_id,
        "external_id": "A 1",
        "reviewed_by": event.reviewer.username,
    }
    for name, value in filters.items():
        assert [run["id"] for run in call.get("/runs", **{name: value}).json()["items"]] == [str(wanted.id)], name
    assert len(call.get("/runs", **filters, flow="item").json()["items"]) == 1
    assert call.get("/runs", flow="editorial").json()["items"] == []
    newest = call.get("/runs").json()["items"][0]["created_at"]
    assert len(call.get("/runs", created_after="2020-01-01T00:00:00").json()["items"]) == 2
    assert call.get("/runs", created_after=newest).json()["items"] == []


def test_a_persons_reviewed_runs_page_each_once(call: Caller) -> None:
    person = UserFactory()
    runs = RunFactory.create_batch(5)
    for run in runs:
        ReviewEventFactory.create_batch(2, run=run, reviewer=person)
        ReviewEventFactory(run=run)
    wanted = sorted((str(run.id) for run in runs), reverse=True)
    first = call.get("/runs", reviewed_by=person.username, limit=3).json()
    second = call.get("/runs", reviewed_by=person.username, limit=3, cursor=first["next_cursor"]).json()
    assert [run["id"] for run in first["items"] + second["items"]] == wanted
    assert second["next_cursor"] is None
    assert call.get("/runs", reviewed_by="nobody").json()["items"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "0"),
        ("limit", "201"),
        ("limit", "many"),
        ("cursor", "made-up"),
        ("status", "lost"),
        ("batch", "1"),
        ("created_after", "yesterday"),
        ("external_id", "\0"),
    ],
)
def test_a_bad_parameter_is_pointed_at(call: Caller, name: str, value: str) -> None:
    response = call.get("/runs", **{name: value})
    assert response.status_code == 422
    assert pointers(response) == [f"/{name}"]


def test_the_list_costs_the_same_at_ten_and_at_a_hundred(call: Caller, django_assert_num_queries: Any) -> None:
    call.get("/runs")  # writes when the key was used last
    for count in (10, 90):
        for _ in range(count):
            RunFactory(institution=Institution.objects.create(slug=str(uuid.uuid4()), name="x"))
        with django_assert_num_queries(3):  # the key, its count of calls, the runs
            items = call.get("/runs", limit=200).json()["items"]
        assert "output" not in items[0]
    assert len(items) == 100


def full_run() -> Run:
    run = RunFactory(revision=2, cost_usd="0.125", input_tokens=9)
    DraftFactory(run=run, content={"name": "first"})
    draft = DraftFactory(run=run, revision=2, content={"name": "second"}, findings=[{"field": "/name"}])
    sent = Call.objects.create(run=run, stage="extraction", provider="demo", system="s", user="u", answer="{}")
    Injection.objects.create(
        call=sent, placeholder="EXTRACTION_REVIEW", guidance_key="bad_format.extraction", text="Units apart.",
        reason="bad_format", evidence=[3],
    )  # fmt: skip
    Judgement.objects.create(
        run=run, draft=draft, round=1, cycle=1, kind="supervisor", outcome="passed", result={"feedback": ""}
    )
    return run


def test_read_a_run_with_all_that_was_said_of_it(call: Caller) -> None:
    answer = call.get(f"/runs/{full_run().id}").json()
    assert answer["output"] == {"name": "second"}
    assert answer["usage"] == {"input_tokens": 9, "output_tokens": 0, "cost_usd": 0.125}
    assert [(found["kind"], found["outcome"], found["revision"]) for found in answer["judgements"]] == [
        ("supervisor", "passed", 2)
    ]
    assert [(found["stage"], found["text"], found["evidence"]) for found in answer["injections"]] == [
        ("extraction", "Units apart.", [3])
    ]


def test_drafts_and_calls(call: Caller) -> None:
    run = full_run()
    drafts = call.get(f"/runs/{run.id}/drafts").json()
    assert [(draft["revision"], draft["content"]["name"]) for draft in drafts["items"]] == [
        (1, "first"),
        (2, "second"),
    ]
    first = call.get(f"/runs/{run.id}/drafts", limit=1).json()
    second = call.get(f"/runs/{run.id}/drafts", limit=1, cursor=first["next_cursor"]).json()
    assert first["items"] + second["items"] == drafts["items"]
    (sent,) = call.get(f"/runs/{run.id}/calls").json()["items"]
    assert (sent["stage"], sent["system"], sent["user"], sent["answer"]) == ("extraction", "s", "u", "{}")


@pytest.mark.parametrize("count", [1, 30])
def test_reading_costs_the_same_however_long_the_trail(
    call: Caller, django_assert_num_queries: Any, count: int
) -> None:
    run = full_run()
    for number in range(count):
        sent = Call.objects.create(run=run, stage="x", cycle=9 + number, provider="demo")
        Injection.objects.create(call=sent, placeholder="X", guidance_key="k", text="t", reason="r")
        draft = Draft.objects.create(run=run, revision=9 + number, content={}, made_by="x")
        Judgement.objects.create(run=run, draft=draft, round=9, cycle=number, kind="x", outcome="failed")
    call.get("/runs")
    for path, queries in (("", 7), ("/drafts", 4), ("/calls", 5)):
        with django_assert_num_queries(queries):
            assert call.get(f"/runs/{run.id}{path}").status_code == 200


def test_cancel_and_retry(call: Caller) -> None:
    run = RunFactory(status=Status.QUEUED, revision=0)
    cancelled = call("POST", f"/runs/{run.id}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "stopped")
    refused = call("POST", f"/runs/{run.id}/cancel")
    assert refused.status_code == 409
    assert "stopped" in refused.json()["detail"]
    retried = call("POST", f"/runs/{run.id}/retry")
    assert (retried.status_code, retried.json()["status"]) == (202, "queued")
    assert call("POST", f"/runs/{run.id}/retry").status_code == 409
