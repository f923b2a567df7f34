"""Two flows in one subcategory: nothing that one of them learnt, counts or shows reaches the other."""

from typing import Any

import pytest
from django.test import Client

from generation import prompts
from generation.guidance import GuidanceRequest
from generation.models import Run, Subcategory
from learning import guidance
from learning.insights import cards
from learning.models import Guidance
from learning.overview.fired import on, recent
from learning.resolver import resolve
from learning.window import window
from tests import people, scenes, twin
from tests.callers import Caller
from tests.factories import DraftFactory, SubcategoryFactory
from tests.learning.histories import reviewed, said

pytestmark = pytest.mark.django_db
BAD = {"decision": "revise", "bad_format": True}
WRONG = {"decision": "approve", "wrong_information": True}
MINE = {"item": "Of items", "twin": "Of twins"}


@pytest.fixture
def drills(monkeypatch: pytest.MonkeyPatch) -> Subcategory:
    """Reviewed by turns: items are badly formed, twins are wrong, and the newest is a clean twin."""
    twin.installed(monkeypatch)
    there: Subcategory = SubcategoryFactory(slug="drills", name="Drills")
    for number in range(6):
        approve(there, "item", BAD, number)
        approve(there, "twin", WRONG, number)
        approve(there, "twin", WRONG, number + 6)
    return there


def approve(there: Subcategory, flow: str, review: dict[str, Any], number: int) -> Run:
    status = "approved" if review["decision"] == "approve" else "awaiting_review"
    run = reviewed(there, flow=flow, status=status, title=f"{MINE[flow]} {number}")
    draft = DraftFactory(run=run, content={"name": MINE[flow]})
    said(run, draft=draft, **review)
    return run


@pytest.fixture
def web(client: Client) -> Client:
    client.force_login(scenes.reviewer())
    return client


@pytest.mark.parametrize(
    ("flow", "runs", "raised"), [("item", 6, "bad_format"), ("twin", 10, "wrong_information")]
)
def test_windows(drills: Subcategory, flow: str, runs: int, raised: str) -> None:
    seen = window(flow, drills.pk)
    assert seen.reviewed == runs
    assert {run.title.rpartition(" ")[0] for run in seen.runs} == {MINE[flow]}
    assert all(run.raised(raised) for run in seen.runs)
    assert not any(
        run.raised(other) for run in seen.runs for other in {"bad_format", "wrong_information"} - {raised}
    )


def test_strips_and_cards(drills: Subcategory) -> None:
    found = {card.flow: card for card in cards()}
    assert found.keys() == {"item", "twin"}
    assert (found["item"].stats.reviewed, found["twin"].stats.reviewed) == (6, 12)
    assert (found["item"].stats.accepted.count, found["twin"].stats.accepted.count) == (0, 12)
    assert {(one.flow, one.strip.label, one.strip.count) for one in on(recent())} == {
        ("item", "Bad format", 6),
        ("twin", "Wrong information", 10),
    }


def test_triggers_and_statistics_over_rest(drills: Subcategory) -> None:
    call = Caller()
    for flow, mine, other in (
        ("item", "bad_format", "wrong_information"),
        ("twin", "wrong_information", "bad_format"),
    ):
        told = call.get("/subcategories/drills/triggers", flow=flow).json()
        assert told["flow"] == flow
        assert told["triggers"][f"{mine}_trigger"]["fired"] is True
        assert told["triggers"][f"{other}_trigger"]["count"] == 0
        shares = call.get("/subcategories/drills/stats", flow=flow).json()["signals"]
        assert (shares[mine]["all_time"], shares[other]["all_time"]) == (100.0, 0.0)
    assert call.get("/subcategories/drills/triggers", flow="gone").status_code == 422


def test_examples_and_guidance(drills: Subcategory) -> None:
    said = {flow: resolve(GuidanceRequest(flow, "extraction", drills.pk)) for flow in MINE}
    assert said["item"].example_run is None  # no item was approved
    assert {fragment.reason for fragment in said["item"].fragments} == {"bad_format_trigger"}
    example = said["twin"].example_run
    assert example is not None
    assert Run.objects.get(pk=example).flow == "twin"


def test_the_page_of_one_leads_to_the_other(drills: Subcategory, web: Client) -> None:
    text = web.get("/learning/drills/").text
    assert "Twin, first-pass acceptance 100 %" in text  # the flow that was reviewed most
    assert '<a href="?flow=item">Item</a>' in text
    assert MINE["item"] not in text
    text = web.get("/learning/drills/", {"flow": "item"}).text
    assert MINE["twin"] not in text
    assert "Untidy" not in text
    assert "Untidy" in web.get("/learning/drills/", {"flow": "twin"}).text
    assert web.get("/learning/drills/", {"flow": "gone"}).status_code == 404


def test_a_subcategory_of_one_flow_has_no_switch(drills: Subcategory, web: Client) -> None:
    reviewed(SubcategoryFactory(slug="saws"), {})
    assert 'aria-label="Flows"' in web.get("/learning/drills/").text
    assert 'aria-label="Flows"' not in web.get("/learning/saws/").text


def test_the_cards_say_their_flow_and_keep_to_the_chosen_one(drills: Subcategory, web: Client) -> None:
    text = web.get("/learning/").text
    for words in ("Item, 6 reviewed", "Twin, 12 reviewed", "Untidy", "Bad format"):
        assert words in text
    text = web.get("/learning/", {"flow": "twin"}).text
    assert "<strong>Twin</strong>" in text
    assert "Item, 6 reviewed" not in text


def test_the_queue_says_the_flow_where_more_than_one_waits(drills: Subcategory, web: Client) -> None:
    text = web.get("/queue/").text
    assert '<span class="flow">' not in text  # items alone wait
    reviewed(drills, flow="twin", title="Twin in wait")
    text = web.get("/queue/").text
    for words in (
        '<span class="flow">Item</span>',
        '<span class="flow">Twin</span>',
        'Item <span class="count">6',
    ):
        assert words in text
    text = web.get("/queue/", {"flow": "twin"}).text
    assert "<strong>Twin</strong>" in text
    assert "Twin in wait" in text
    assert MINE["item"] not in text


def test_the_overview_names_the_flow_where_there_are_several(drills: Subcategory, web: Client) -> None:
    text = web.get("/").text
    assert "Drills, Item" in text
    assert "lowest: Item, 0 %" in text


def test_the_prompts_stand_under_their_flows(drills: Subcategory) -> None:
    prompts.seed()
    text = people.admin().get("/admin/generation/prompt/").text
    heads = [text.index(f'scope="rowgroup">{label}<') for label in ("Item", "Twin")]
    assert heads == sorted(heads)
    stages = [text.index(f">{stage}</a>", heads[0]) for stage in ("Categorizer", "Extraction", "Supervisor")]
    assert stages == sorted(stages)
    assert stages[-1] < heads[1] < text.index(">Categorizer</a>", heads[1])


def test_guidance_texts_stand_under_their_flows(drills: Subcategory) -> None:
    guidance.seed()
    admin = people.admin()
    text = admin.get("/admin/studio/influence/").text
    assert text.index("?flow=item") < text.index("?flow=twin")
    row = Guidance.objects.filter(flow="twin")[0]
    assert f"/influence/{row.pk}/" not in text
    assert f"/influence/{row.pk}/" in admin.get("/admin/studio/influence/?flow=twin").text
