"""The signals of the form in the words of each flow."""

from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pydantic import BaseModel, Field

from generation.flows import FLOWS, flow
from generation.flows.item.record import Item
from generation.models import Run
from review.models import SIGNALS
from review.pages.record import sheet
from review.pages.suggestions import suggestions
from review.words import WORDS, described, label, label_of_missing, words
from tests import scenes


@pytest.mark.parametrize("flow", [*FLOWS, *WORDS, "gone"])
def test_every_flow_has_words_for_every_signal(flow: str) -> None:
    for signal in (*SIGNALS, "missing_spec"):
        name, why = words(flow)[signal]
        assert str(name)
        assert str(why)


@pytest.mark.parametrize(
    ("flow", "signal", "expected"),
    [
        ("item", "wrong_physical_dimensions", "Wrong dimensions"),
        ("question", "wrong_physical_dimensions", "Wrong values"),
        ("editorial", "wrong_physical_dimensions_trigger", "Wrong figures"),
        ("change", "wrong_physical_dimensions", "Wrong scope"),
        ("change", "information_present_low_trigger", "Information absent"),
        ("gone", "missing_spec_trigger", "Missing fields"),
        ("item", "notes", "notes"),
    ],
)
def test_a_signal_and_its_trigger_are_called_what_the_flow_calls_them(
    flow: str, signal: str, expected: str
) -> None:
    assert label(flow, signal) == expected


ASKED = replace(flow("item"), name="asked", words={"missing_spec": ("Unanswered", "questions without an answer")})


@pytest.mark.parametrize(
    ("flow", "said"),
    [("item", "Missing: weight"), ("gone", "Missing: weight"), ("asked", "Unanswered: weight")],
)
def test_one_missing_field_is_told_in_the_words_of_a_flow_that_has_its_own(
    flow: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FLOWS, "asked", f"{__name__}.ASKED")
    assert label_of_missing(flow, "weight") == said


def test_words_of_one_flow_differ_from_one_another() -> None:
    for name in WORDS:
        names = [label(name, signal) for signal in (*SIGNALS, "missing_spec", "information_present_low")]
        assert len(set(names)) == len(names)


def test_the_document_of_the_api_tells_what_a_signal_means_where() -> None:
    text = described("wrong_physical_dimensions")
    assert text.startswith("Wrong dimensions: ")
    for name in WORDS:
        assert f"`{name}`: {words(name)['wrong_physical_dimensions'][1]}" in text


@pytest.mark.django_db
def test_the_form_speaks_the_flows_words(client: Client) -> None:
    me: User = scenes.reviewer()
    client.force_login(me)
    run = scenes.drill(scenes.subcategories()["drills"])
    assert "the form is off: schema" in client.get(f"/runs/{run.pk}/").text
    Run.objects.filter(pk=run.pk).update(flow="question")
    text = client.get(f"/runs/{run.pk}/").text
    for said in ("Wrong values", "Missing parts", "Bad form<"):
        assert said in text
    for said in ("Wrong dimensions", "Bad format"):
        assert said not in text


def test_what_the_schema_has_and_the_record_lacks_is_suggested() -> None:
    content: dict[str, Any] = {
        "name": "Halden",
        "description": None,
        "specifications": [],
        "dimensions": {},
        "sources": [],
    }
    found = suggestions(Run(flow="item"), content, sheet(content, {}, schema=Item))
    assert found[:4] == ["Length", "Width", "Height", "Depth"]
    assert {"Description", "Specifications"} <= set(found)
    assert not {"Name", "Sources"} & set(found)


class Paragraph(BaseModel):
    type: Literal["paragraph"] = "paragraph"
    text: str


class Product(BaseModel):
    type: Literal["product_card"] = "product_card"


class Page(BaseModel):
    title: str
    blocks: list[Annotated[Paragraph | Product, Field(discriminator="type")]]
    hashtags: list[str]


def test_kinds_of_parts_that_a_list_lacks_are_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FLOWS, "page", f"{__name__}.PAGE")
    content = {"title": "A", "blocks": [{"type": "paragraph", "text": None}], "hashtags": []}
    assert suggestions(Run(flow="page"), content, sheet(content, {}, schema=Page)) == ["Product card", "Hashtags"]


PAGE = replace(flow("item"), name="page", record=Page)
