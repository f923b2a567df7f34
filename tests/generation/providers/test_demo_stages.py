"""The demo's later stages: formatter, supervisor and categorizer; and that no text makes any of them crash."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.flows.item.record import Item
from generation.judges.supervisor import read
from generation.providers.demo.extract import clean_record
from generation.providers.demo.faults import (
    CATCH_RATE,
    GUIDED_CATCH_RATE,
    Fault,
)
from generation.reading import first_object
from tests.generation.providers.asking import (
    MANY,
    SOURCES,
    WARNINGS,
    WEAK_IN,
    answer,
    record,
    with_fault,
)


def test_records_are_valid_or_become_so_in_the_formatter() -> None:
    for source in SOURCES:
        draft = record(source, subcategory=WEAK_IN[Fault.LOOSE_FORM])
        formatted = first_object(answer("formatter", draft=draft))
        Item.model_validate(formatted)


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ({"specifications": [{"name": "voltage", "value": "18 V", "unit": None}]}, [("voltage", 18, "V")]),
        ({"specifications": [{"name": "power", "value": "750", "unit": "W"}]}, [("power", 750, "W")]),
        ({"specifications": [{"name": "gears", "value": "two"}]}, [("gears", 2, None)]),
        ({"specifications": [{"name": "torque", "value": "60 / 34 Nm"}]}, [("torque", "60 / 34", "Nm")]),
        ({"specifications": {"voltage": "18 V"}}, [("voltage", 18, "V")]),
        ({"specifications": [{"name": "a", "value": 1}, {"name": "A", "value": 1}]}, [("a", 1, None)]),
        ({"colour": "black"}, [("colour", "black", None)]),
        ({"specifications": [{"name": "case", "value": True}, 7, None, {"value": 3}]}, [("case", "yes", None)]),
    ],
)
def test_the_formatter_mends_form_alone(draft: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    formatted = first_object(answer("formatter", draft={"name": "Thing", **draft}))
    assert formatted is not None
    specs = formatted["specifications"]
    assert [(spec["name"], spec["value"], spec["unit"]) for spec in specs] == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("19,4 cm", {"value": 19.4, "unit": "cm"}),
        ({"value": "19.4 cm", "unit": "cm"}, {"value": 19.4, "unit": "cm"}),
        ({"value": 4, "unit": "Zoll"}, {"value": 4, "unit": "in"}),
        ({"value": 4}, None),
        ("unknown", None),
        (None, None),
    ],
)
def test_the_formatter_mends_sizes(size: object, expected: object) -> None:
    formatted = first_object(answer("formatter", draft={"name": "Thing", "dimensions": {"length": size}}))
    assert formatted is not None
    assert formatted["dimensions"]["length"] == expected


def test_the_formatter_corrects_no_fact() -> None:
    for sources, weak in (with_fault(Fault.WRONG_INFORMATION), with_fault(Fault.UNIT_SLIP)):
        for source in sources[:20]:
            draft = record(source, **weak)
            assert first_object(answer("formatter", draft=draft)) == draft


def test_the_supervisor_passes_what_is_clean() -> None:
    for source in SOURCES[:50]:
        assert read(answer("supervisor", source, draft=clean_record(source)))[0] == "passed"


@pytest.mark.parametrize(("guidance", "rate"), [("", CATCH_RATE), (WARNINGS[Fault.UNIT_SLIP], GUIDED_CATCH_RATE)])
def test_the_supervisor_sees_a_share_of_the_mistakes_and_more_of_those_it_is_warned_of(
    guidance: str, rate: float
) -> None:
    said = []
    for source in SOURCES:
        slipped = clean_record(source)
        slipped["dimensions"]["length"]["unit"] = "cm"
        said.append(read(answer("supervisor", source, draft=slipped, guidance=guidance)))
    failed = [feedback for outcome, feedback in said if outcome == "failed"]
    assert len(failed) / MANY == pytest.approx(rate, abs=0.06)
    assert all("length" in feedback and "mm" in feedback for feedback in failed)


CATEGORIES = """\
- coffee-scales: Coffee scales (Kitchen)
- cordless-drills: Cordless drills (Tools)
- label-printers: Label printers (Office)
- tables: Tables (Furniture)"""


@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ("Norrland ND-18X cordless drill", "cordless-drills"),
        ("Werkhaus BS 12 Akku-Bohrschrauber", "cordless-drills"),
        ("Thermo-Etikettendrucker TD 4550", "label-printers"),
        ("Waagenbau KW 3000\nKüchen- und Kaffeewaage mit Timer.", "coffee-scales"),
        ("Kestrel K12S\nPocket sized driver; a drill for hobby use", "cordless-drills"),
        ("Portable radio", None),
        ("", None),
        ("- label-printers: Label printers (Office)", "label-printers"),
    ],
)
def test_the_categorizer_goes_by_whole_words_in_both_languages(source: str, slug: str | None) -> None:
    assert json.loads(answer("categorizer", source, categories=CATEGORIES)) == {"subcategory": slug}


def test_the_categorizer_hears_a_correction() -> None:
    told = '<quote-0123456789ab of="subcategory">\nTables\n</quote-0123456789ab>'
    chosen = answer("categorizer", "Label printer on a table", categories=CATEGORIES, guidance=told)
    assert json.loads(chosen) == {"subcategory": "tables"}


def test_the_categorizer_without_categories_names_none() -> None:
    assert json.loads(answer("categorizer", "Label printer")) == {"subcategory": None}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["name", "value", "unit", "specifications", "dimensions", "length", "weight", "sources", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(
    st.sampled_from(["categorizer", "extraction", "formatter", "supervisor"]),
    st.text(max_size=200),
    st.dictionaries(
        st.sampled_from(["name", "description", "specifications", "dimensions", "sources", "x"]), JSON, max_size=6
    ),
    st.text(max_size=100),
)
def test_nothing_makes_it_crash(stage: str, source: str, draft: dict[str, Any], feedback: str) -> None:
    values = {"guidance": feedback, "draft": draft, "feedback": feedback, "categories": source}
    assert answer(stage, source, **values).strip()
    if stage == "formatter":
        Item.model_validate(first_object(answer(stage, source, **values)))
