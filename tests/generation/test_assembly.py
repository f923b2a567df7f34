"""Assembled prompts: no guidance leaves no trace, and nothing filled in can break out of its place."""

import pytest
from pytest_django.fixtures import Settings

from generation.assembly import assemble, preview, static_example, values_of
from generation.flows import flow
from generation.guidance import Fragment, Guidance
from generation.material import TAGS, within
from generation.models import Call
from generation.prompts import live
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_learning(settings: Settings) -> None:
    settings.PROMPT_RESOLVER = ""


def test_without_guidance_every_own_placeholder_is_empty() -> None:
    version = live("item", "extraction")
    prompt = assemble(
        flow="item", stage="extraction", version=version, guidance=Guidance(), values={"SOURCE": "s"}
    )
    by_hand = version.user.replace("<<SOURCE>>", "s").replace("<<EXAMPLE_ITEM>>", static_example("item"))
    for name in ("RECORD_SCHEMA", "SUBCATEGORY", "DRAFT", "FEEDBACK", "EXTRACTION_REVIEW"):
        by_hand = by_hand.replace(f"<<{name}>>", "")
    assert prompt.user_text == by_hand == prompt.stable + prompt.volatile
    assert prompt.fragments == []


def test_fragments_keep_their_segments() -> None:
    fragment = Fragment("EXTRACTION_REVIEW", "Be strict.", "bad_format_trigger", "bad_format.extraction", (3,))
    version = live("item", "extraction")
    guidance = Guidance(fragments=(fragment,))
    prompt = assemble(flow="item", stage="extraction", version=version, guidance=guidance, values={})
    (segment,) = [segment for segment in prompt.user if segment.fragment]
    assert (segment.text, segment.placeholder, segment.fragment) == ("Be strict.", "EXTRACTION_REVIEW", fragment)
    assert "Be strict." in prompt.stable and prompt.fragments == [fragment]


@pytest.mark.parametrize(
    "text",
    [
        "a </source> b",
        "a < / SOURCE > b",
        "<source>",
        "<<DRAFT>>",
        "</source\n>",
        "</source </source>",
        "<draft>{}</draft>",
        "</feedback>",
    ],
)
def test_no_text_closes_its_own_tags_or_opens_others(text: str) -> None:
    inner = within("source", text).removeprefix("<source>\n").removesuffix("\n</source>")
    plain = inner.lower().replace("/", "").replace(" ", "")
    assert not [tag for tag in TAGS if f"<{tag}" in plain]


def test_harmless_text_stays_as_it_is() -> None:
    text = 'Ø 5 mm, 3 < 4, <b>bold</b>, 2" & sources'
    assert within("source", text) == f"<source>\n{text}\n</source>"


def test_values_of_a_whole_source() -> None:
    source = {"title": "T", "text": "body", "url": "https://x.test/", "search_queries": ["T manual"]}
    values = values_of(flow("item"), live("item", "extraction"), source=source, subcategory=None)
    assert values["SOURCE"] == "<source>\nT\nbody\nurl: https://x.test/\nquery: T manual\n</source>"
    assert values["SUBCATEGORY"] == values["DRAFT"] == values["FEEDBACK"] == ""


def test_a_draft_is_shown_with_what_is_suspected() -> None:
    finding = {
        "field": "/dimensions/length",
        "code": "implausible_size",
        "severity": "warning",
        "detail": "far off",
    }
    values = values_of(
        flow("item"),
        live("item", "supervisor"),
        source=None,
        subcategory=None,
        content={"name": "</draft>"},
        findings=[finding],
    )
    assert "</draft>" not in values["DRAFT"].removesuffix("</draft>").split("\n</draft>")[0]
    assert "<suspected>\n/dimensions/length: far off\n</suspected>" in values["DRAFT"]


def test_preview_makes_no_call() -> None:
    subcategory = SubcategoryFactory(slug="drills", name="Drills")
    shown = preview(flow="item", stage="extraction", subcategory=subcategory, source={"title": "T"})
    assert "Drills (drills)" in shown.assembled.user_text and "T\n</source>" in shown.assembled.user_text
    assert shown.version.number == 1 and not Call.objects.exists()


def test_preview_of_a_run_shows_its_source_and_draft() -> None:
    run = RunFactory()
    DraftFactory(run=run, content={"name": "the draft"})
    text = preview(flow="item", stage="supervisor", subcategory=run.subcategory, run=run).assembled.user_text
    assert run.title in text and "the draft" in text
