"""A small editorial, its source, and a judge's answers, for tests of the flow and of its judge."""

import json
from copy import deepcopy
from typing import Any

from generation import runs
from generation.intake import parse
from generation.models import Run
from tests.factories import SubcategoryFactory
from tests.generation.scripted import Line, Scripted

SOURCE: dict[str, Any] = {
    "keyword": "Rainwear",
    "topics": [
        {
            "title": "Norsund waxes its own cotton",
            "summary": "Norsund opened a waxing room in March. Tuva Lind says: “Wax forgives.” Coats are € 240.",
            "brands": ["Norsund"],
            "people": ["Tuva Lind"],
            "url": "https://norsund.example/wax",
        },
        {
            "title": "Repair days",
            "summary": "Hair shops and tailors of the quay mend coats on 4 Saturdays a year.",
        },
    ],
}
LAYOUT: dict[str, Any] = {
    "title": "What the rain leaves",
    "subtitle": None,
    "blocks": [
        {"type": "body_text", "paragraphs": ["Norsund opened a waxing room in March.", "Tuva Lind runs it."]},
        {"type": "product", "name": "Norsund", "brand": None, "text": None, "price": "€ 240"},
        {"type": "person", "name": "Tuva Lind", "occupation": None, "text": None},
        {"type": "hashtags", "tags": ["rainwear"]},
    ],
}
MENTIONS = [
    {"name": "Tuva Lind", "kind": "person", "topic": 1},
    {"name": "Norsund", "kind": "brand", "topic": 1},
]
NAMES = ("hallucination", "fact_accuracy", "content_completeness")


def layout(**changes: Any) -> dict[str, Any]:
    return deepcopy(LAYOUT) | changes


def without(kind: str) -> dict[str, Any]:
    return layout(blocks=[block for block in LAYOUT["blocks"] if block["type"] != kind])


def given(name: str, **failed: Any) -> dict[str, Any]:
    passed: dict[str, Any] = {"criterion": name, "passed": True, "reason": "", "severity": None, "field": ""}
    if not failed:
        return passed
    return passed | {"passed": False, "reason": f"{name} is off.", "severity": "major"} | failed


def answer(*fails: dict[str, Any], **also: Any) -> str:
    """A whole answer: all criteria passed but for those given."""
    by_name = {one["criterion"]: one for one in fails}
    return json.dumps({"criteria": [by_name.get(name) or given(name) for name in NAMES]} | also)


PASS = answer()
FAIL = answer(given("hallucination", reason="Olaf Berg is in no topic.", severity="critical", field="/blocks/0"))


def play(scripted: Scripted, **lines: Any) -> None:
    """The scripts of the stages; a good run where nothing else is said."""
    good: dict[str, list[Line] | Line] = {
        "editorial": json.dumps(LAYOUT),
        "enrich": json.dumps({"mentions": MENTIONS}),
        "judge": PASS,
    }
    scripted.play(**(good | lines))


def new_editorial(**body: object) -> Run:
    slug = SubcategoryFactory(slug="rainwear", name="Rainwear").slug
    return runs.create(parse({"flow": "editorial", "subcategory": slug, "source": SOURCE} | body))
