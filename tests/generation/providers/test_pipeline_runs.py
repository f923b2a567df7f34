"""Whole runs with the real providers: the demo over product texts, and the real SDK against the local server."""

import json
from typing import Any

import pytest

from generation import pipeline, runs
from generation.intake import parse
from generation.models import Run, Status
from learning.demo.content import products
from tests.factories import CategoryFactory, SubcategoryFactory
from tests.messages_api import KEY, MessagesApi, Reply, error, message

pytestmark = pytest.mark.django_db

TITLES = [
    "SEAPESCA Mini Crankbait Fishing Lure 40mm 3.5g Topwater Artificial Hard Bait YA24a",
    "4Pcs/Lot Spinner Bait Size 1#2#3#4#5# Fishing Lures Spoon With Treble Hook",
    "Women&#39;s Red Patent Shoes, 14 M US",
    "100% Cotton 2 in 1 Shorts (Pack of 6) -- 16.9 Fl Oz / 500 ml",
    'ﾃｽﾄ 製品 ½" ×',
    "x",
]
RECORD = {
    "name": "Drill",
    "description": None,
    "specifications": [{"name": "voltage", "value": 18, "unit": "V"}],
    "dimensions": {"length": None, "width": None, "height": None, "depth": None, "diameter": None, "weight": None},
    "sources": ["source"],
}


def made(source: dict[str, Any], subcategory: str | None) -> Run:
    body = {"flow": "item", "source": source} | ({"subcategory": subcategory} if subcategory else {})
    run = runs.create(parse(body))
    pipeline.generate(run.id)
    run.refresh_from_db()
    return run


@pytest.fixture
def demo(settings: Any) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    for name in ("Cordless drills", "Label printers", "Coffee scales"):
        SubcategoryFactory(
            slug=name.lower().replace(" ", "-"), name=name, category=CategoryFactory(name=f"{name} all")
        )


@pytest.mark.usefixtures("demo")
def test_the_demo_files_every_shipped_product_where_it_belongs_and_makes_its_record() -> None:
    shipped = products()
    finished = [made(product.source, None) for product in shipped]
    assert {run.status for run in finished} <= {Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW}
    assert all(run.revision >= 1 and run.error is None for run in finished if run.status == Status.AWAITING_REVIEW)
    assert [run.subcategory.slug for run in finished if run.subcategory] == [one.subcategory for one in shipped]
    assert {call.cost_usd for run in finished for call in run.calls.all()} == {0}


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("title", TITLES)
def test_the_demo_makes_a_record_of_any_title(title: str) -> None:
    run = made({"title": title}, "label-printers")
    assert run.status in (Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW)
    assert run.drafts.latest("revision").content["name"] == title


@pytest.mark.usefixtures("demo")
def test_the_demo_tells_of_a_product_that_fits_no_subcategory() -> None:
    run = made({"title": "Portable radio"}, None)
    assert run.error is not None and run.error["code"] == "unknown_subcategory"


def test_a_run_over_the_messages_api(messages_api: MessagesApi, settings: Any) -> None:
    settings.FOLDBACK_PROVIDER = "anthropic"
    messages_api.replies(message(json.dumps(RECORD)), message("PASS"))
    run = made({"title": "Drill", "search_queries": ["drill manual"]}, SubcategoryFactory().slug)
    assert (run.status, run.judge_outcome) == (Status.AWAITING_REVIEW, "passed")
    extraction, supervisor = [received.body for received in messages_api.received]
    assert extraction["tools"][0]["name"] == "web_search" and "tools" not in supervisor
    assert extraction["output_config"]["format"]["type"] == "json_schema" and "output_config" not in supervisor
    stable, volatile = extraction["messages"][0]["content"]
    assert "cache_control" in stable and "<source>\nDrill" in volatile["text"]
    assert (run.input_tokens, run.output_tokens) == (20, 10)
    assert run.cost_usd > 0


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (error(401, "authentication_error", f"invalid key {KEY}"), "unauthorized"),
        (message("cut", stop_reason="max_tokens"), "truncated"),
        (message("I won't", stop_reason="refusal"), "refused"),
        (Reply("<html>", 403, content_type="text/html"), "unauthorized"),
    ],
)
def test_a_run_that_the_api_fails_for_good_says_why(
    messages_api: MessagesApi, settings: Any, reply: Reply, code: str
) -> None:
    settings.FOLDBACK_PROVIDER = "anthropic"
    messages_api.replies(reply)
    run = made({"title": "Drill"}, SubcategoryFactory().slug)
    assert run.status == Status.FAILED
    assert run.error is not None and run.error["code"] == code
    call = run.calls.get()
    assert call.request["model"] == settings.FOLDBACK_MODEL
    assert call.output_tokens == (0 if code == "unauthorized" else 5)
    assert KEY not in json.dumps([run.error, call.error, call.request])
