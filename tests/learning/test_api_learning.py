"""The REST calls of learning, and the whole path over REST: run, review, triggers, the next prompt."""

import json
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import pipeline, providers
from generation.models import Call, Run
from tests.callers import Caller, pointers
from tests.factories import RunFactory, SubcategoryFactory
from tests.generation.scripted import PROVIDER
from tests.learning.histories import history
from tests.people import a_reviewer

pytestmark = pytest.mark.django_db
TRIGGERS = {
    "bad_format_trigger", "wrong_information_trigger", "wrong_physical_dimensions_trigger",
    "missing_spec_trigger", "information_present_low_trigger",
}  # fmt: skip


@pytest.fixture
def call() -> Caller:
    return Caller()


@pytest.fixture
def person() -> Caller:
    return Caller(user=a_reviewer("ada"))


@pytest.fixture
def _scripted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(providers.PROVIDERS, "scripted", "tests.generation.scripted")
    settings.FOLDBACK_PROVIDER = "scripted"
    PROVIDER.play()


def make(caller: Caller, text: str) -> Run:
    body = {"flow": "item", "subcategory": "drills", "source": {"title": text}}
    run = Run.objects.get(pk=caller("POST", "/runs", body).json()["id"])
    pipeline.generate(run.pk)
    return run


@pytest.mark.usefixtures("_scripted")
def test_the_whole_path(person: Caller) -> None:
    person("PUT", "/subcategories/drills", {"name": "Drills", "category": "Tools"})
    first = make(person, "Makita DHP484")
    assert person.get(f"/runs/{first.pk}").json()["status"] == "awaiting_review"
    assert person("POST", "/queue/claim", {"subcategory": "drills"}).json()["id"] == str(first.pk)
    body = {"decision": "approve", "bad_format": "ja", "missing_spec": ["Voltage"], "notes": "only for this run"}
    review = person("POST", f"/runs/{first.pk}/reviews", body).json()

    triggers = person.get("/subcategories/drills/triggers", flow="item").json()
    assert triggers["triggers"].keys() == TRIGGERS
    assert (triggers["subcategory"], triggers["flow"]) == ("drills", "item")
    assert triggers["window"] == {"size": 10, "reviewed": 1}
    assert triggers["low_confidence"] is True
    assert triggers["triggers"]["bad_format_trigger"] == {"fired": True, "count": 1, "threshold": 1}
    assert triggers["triggers"]["wrong_information_trigger"] == {"fired": False, "count": 0, "threshold": 1}
    fields = triggers["triggers"]["missing_spec_trigger"]["fields"]
    assert [(field["name"].lower(), field["count"]) for field in fields] == [("voltage", 1)]
    assert [run["id"] for run in triggers["runs"]] == [str(first.pk)]

    resolved = person(
        "POST", "/prompts/resolve", {"flow": "item", "stage": "extraction", "subcategory": "drills"}
    ).json()
    placed = resolved["placeholders"]["EXTRACTION_REVIEW"]
    assert {fragment["reason"] for fragment in placed["fragments"]} >= {
        "bad_format_trigger",
        "missing_spec_trigger",
    }
    assert all(fragment["evidence"] == [review["id"]] for fragment in placed["fragments"])
    assert placed["text"] in resolved["user"] + resolved["system"]
    assert "only for this run" not in resolved["user"] + resolved["system"]
    assert resolved["low_confidence"] is True
    assert resolved["example_run"] == str(first.pk)

    second = make(person, "Bosch GSR")
    injections = person.get(f"/runs/{second.pk}").json()["injections"]
    assert {found["text"] for found in injections if found["stage"] == "extraction"} >= {
        fragment["text"] for fragment in placed["fragments"]
    }
    sent = person.get(f"/runs/{second.pk}/calls").json()["items"][0]
    assert placed["text"] in sent["user"] + sent["system"]

    shares = person.get("/subcategories/drills/stats", flow="item").json()
    assert shares["signals"]["bad_format"]["window"] == 100.0
    assert shares["first_pass_acceptance"]["reviewed"] == 1
    assert shares["counts"] == {"reviewed": 1, "reviews": 1, "waiting": 1}
    exported = b"".join(person.get("/exports/reviews.jsonl").streaming_content).decode().splitlines()
    assert [json.loads(line)["run"] for line in exported] == [str(first.pk)]


@pytest.mark.usefixtures("_scripted")
def test_a_revise_starts_the_next_round_with_its_own_signals(person: Caller) -> None:
    SubcategoryFactory(slug="drills")
    run = make(person, "Makita DHP484")
    body = {"decision": "revise", "wrong_physical_dimensions": True, "notes": "The weight is that of the box."}
    assert person("POST", f"/runs/{run.pk}/reviews", body).status_code == 201
    assert person.get(f"/runs/{run.pk}").json()["status"] == "queued"
    pipeline.generate(run.pk)
    answer = person.get(f"/runs/{run.pk}").json()
    assert (answer["round"], answer["revision"], answer["status"]) == (2, 2, "awaiting_review")
    reasons = {found["reason"] for found in answer["injections"] if found["round"] == 2}
    assert {"wrong_physical_dimensions", "notes"} <= reasons


def test_a_services_reviews_teach_nothing(call: Caller) -> None:
    run = RunFactory()
    run.drafts.create(revision=1, content={}, made_by="extraction")
    assert call("POST", f"/runs/{run.id}/reviews", {"decision": "approve", "bad_format": True}).status_code == 201
    triggers = call.get(f"/subcategories/{run.subcategory.slug}/triggers").json()
    assert triggers["window"]["reviewed"] == 0
    assert not any(trigger["fired"] for trigger in triggers["triggers"].values())


def test_a_subcategory_without_reviews(call: Caller) -> None:
    SubcategoryFactory(slug="new")
    triggers = call.get("/subcategories/new/triggers").json()
    assert (triggers["window"]["reviewed"], triggers["runs"]) == (0, [])
    shares = call.get("/subcategories/new/stats").json()
    assert shares["first_pass_acceptance"]["window"] is None


def test_a_preview_review_speaks_for_the_run(call: Caller) -> None:
    SubcategoryFactory(slug="drills")
    body = {
        "flow": "item",
        "stage": "extraction",
        "subcategory": "drills",
        "review": {"information_present": "yes", "notes": "Look at <<SOURCE>> again"},
        "source": {"title": "Makita DHP484"},
    }
    resolved = call("POST", "/prompts/resolve", body).json()
    fragments = resolved["placeholders"]["EXTRACTION_REVIEW"]["fragments"]
    assert {fragment["reason"] for fragment in fragments} == {"information_present", "notes"}
    assert "Makita DHP484" in resolved["placeholders"]["SOURCE"]["text"]
    assert resolved["user"].count("Makita DHP484") == 1
    assert not Call.objects.exists()


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"flow": "novel"}, "/flow"),
        ({"stage": "poetry"}, "/stage"),
        ({"subcategory": "nowhere"}, "/subcategory"),
        ({"review": {"rating": 5}}, "/review/rating"),
        ({"review": {"notes": "x" * 4001}}, "/review/notes"),
        ({"review": {"missing_spec": ["x" * 81]}}, "/review/missing_spec/0"),
        ({"review": {"subcategory": "nowhere"}}, "/review/subcategory"),
        ({"source": {}}, "/source"),
        ({"source": {"title": "x", "colour": 1}}, "/source/colour"),
        ({"model": "x"}, "/model"),
        ({"stage": None}, "/stage"),
    ],
)
def test_a_bad_field_is_pointed_at(call: Caller, change: dict[str, Any], pointer: str) -> None:
    body = {"flow": "item", "stage": "extraction"} | change
    response = call("POST", "/prompts/resolve", body)
    assert response.status_code == 422
    assert pointers(response) == [pointer]


@pytest.mark.parametrize("what", ["triggers", "stats"])
def test_an_unknown_subcategory_or_flow(call: Caller, what: str) -> None:
    assert call.get(f"/subcategories/nowhere/{what}").status_code == 404
    SubcategoryFactory(slug="drills")
    response = call.get(f"/subcategories/drills/{what}", flow="novel")
    assert response.status_code == 422
    assert pointers(response) == ["/flow"]


@pytest.mark.parametrize("what", ["triggers", "stats"])
def test_reading_costs_the_same_however_long_the_history(
    call: Caller, django_assert_max_num_queries: Any, what: str
) -> None:
    subcategory = SubcategoryFactory(slug="drills")
    history(subcategory, [[{"bad_format": True}]] * 30)
    call.get("/runs")
    with django_assert_max_num_queries(14):
        answer = call.get(f"/subcategories/drills/{what}").json()
    assert answer["window"]["reviewed"] == 10
