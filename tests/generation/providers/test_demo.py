"""The demo provider from prompt to answer: what it reads, the mistakes it makes, and the guidance it follows."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from generation.flows.item.record import Item
from generation.judges.supervisor import read
from generation.prompts import shipped
from generation.providers import ProviderError, Request, Search, provider
from generation.providers.demo.compare import differences
from generation.providers.demo.extract import clean_record
from generation.providers.demo.faults import (
    CATCH_RATE,
    CURE_RATES,
    FAULT_RATES,
    GUIDED_CATCH_RATE,
    PRONE_RATE,
    PRONE_TO,
    Fault,
    prone_to,
)
from generation.providers.demo.mistakes import faults_for
from generation.reading import first_object

# As guidance may be worded; each has a telling word of one kind of mistake and of no other.
WARNINGS = {
    Fault.UNIT_SLIP: "Check each size: is it plausible for such a product, and in the right unit?",
    Fault.WRONG_INFORMATION: "Cross-check every value and keep only what the text gives evidence for.",
    Fault.LOOSE_FORM: "Be strict about the schema: numbers as numbers.",
    Fault.GIVING_UP: "Search further: tables and footnotes count too.",
}
BODY = """\
Sturdy driver number {n} for joists and decking.
Battery voltage: 18 V
Battery capacity: 5.0 Ah
Max. torque: {torque} Nm
No-load speed: 0-550 / 0-2100 rpm
Dimensions: {length} x 81 x 252 mm
Weight: 2.{n} kg
Charging time: {time} min
Noise level: 79 dB(A)"""
SOURCES = [
    f"Norrland ND-{n} drill\n" + BODY.format(n=n, torque=50 + n, length=170 + n, time=30 + n) for n in range(400)
]
MANY = len(SOURCES)
# A subcategory for each weak spot.
WEAK_IN = {fault: next(f"Kind {n}" for n in range(99) if prone_to(f"Kind {n}") == fault) for fault in PRONE_TO}
EXPECTED_FAULTS = [
    ["missing", "unit_slip"],
    [],
    [],
    ["loose_form"],
    [],
    ["unit_slip"],
    [],
    [],
    ["loose_form", "unit_slip"],
    [],
    [],
    ["loose_form", "wrong_information"],
]


def prompt(
    stage: str,
    source: str = "",
    *,
    guidance: str = "",
    draft: Mapping[str, Any] | None = None,
    feedback: str = "",
    categories: str = "",
    subcategory: str = "",
    **changes: Any,
) -> Request:
    """The shipped prompt of a stage, filled as the assembly fills it."""
    text = shipped("item", stage)
    values = {
        f"{stage.upper()}_REVIEW": guidance,
        "SOURCE": f"<source>\n{source}\n</source>",
        "DRAFT": f"<draft>\n{json.dumps(draft, ensure_ascii=False)}\n</draft>" if draft is not None else "",
        "FEEDBACK": f"<feedback>\n{feedback}\n</feedback>" if feedback else "",
        "CATEGORIES": categories,
        "SUBCATEGORY": f"{subcategory} (slug-1)" if subcategory else "",
    }
    user = text.user
    for name, value in values.items():
        user = user.replace(f"<<{name}>>", value)
    return Request(
        **(
            {"flow": "item", "stage": stage, "system": text.system, "stable": "", "volatile": user, "model": "m"}
            | changes
        )
    )


def answer(stage: str, source: str = "", **values: Any) -> str:
    return provider("demo").answer(prompt(stage, source, **values)).text


def record(source: str, **values: Any) -> dict[str, Any]:
    found = first_object(answer("extraction", source, **values))
    assert found is not None
    return found


def faults_in(source: str, **values: Any) -> set[Fault]:
    return {found.fault for found in differences(record(source, **values), clean_record(source))}


def shares(**values: Any) -> dict[Fault, float]:
    counted = Counter(fault for source in SOURCES for fault in faults_in(source, **values))
    return {fault: counted[fault] / MANY for fault in Fault}


def with_fault(fault: Fault) -> tuple[list[str], dict[str, str]]:
    """Sources whose unguided draft has exactly this fault and shows it, in a subcategory prone to it."""
    weak = {"subcategory": WEAK_IN[fault]}
    found = [one for one in SOURCES if faults_for(one, WEAK_IN[fault]) == faults_in(one, **weak) == {fault}]
    return found, weak


def test_says_that_it_is_no_ai() -> None:
    with translation.override("en"):
        assert provider("demo").label == "Demo (rules, not an AI)"
    said = provider("demo").answer(prompt("extraction", SOURCES[0]))
    assert said.model == "demo-rules"
    assert said.usage.input_tokens == said.usage.output_tokens == 0


@pytest.mark.parametrize(
    ("search", "tools"),
    [
        (Search(), []),
        (Search(broad=True), [{"name": "web_search", "max_uses": 5}]),
        (Search(queries=("nd 1",)), [{"name": "web_search", "max_uses": 1}]),
    ],
)
def test_the_call_tells_whether_search_was_offered(search: Search, tools: list[Any]) -> None:
    said = provider("demo").answer(prompt("extraction", SOURCES[0], search=search))
    assert said.sent["tools"] == tools


@pytest.mark.parametrize(("flow", "stage"), [("item", "judge"), ("editorial", "extraction")])
def test_tells_what_it_has_no_rules_for(flow: str, stage: str) -> None:
    with pytest.raises(ProviderError) as caught:
        provider("demo").answer(replace(prompt("extraction"), flow=flow, stage=stage))
    assert caught.value.code == "not_configured" and not caught.value.retryable


def test_the_same_prompt_gets_the_same_answer() -> None:
    assert [answer("extraction", source) for source in SOURCES[:50]] == [
        answer("extraction", source) for source in SOURCES[:50]
    ]


def test_fate_is_decided_by_the_words_alone() -> None:
    """Holds on every machine: no clock, no global randomness, no order of a set."""
    assert [sorted(faults_for(source)) for source in SOURCES[:12]] == EXPECTED_FAULTS


def test_every_mistake_happens_at_about_its_rate() -> None:
    seen = Counter(fault for source in SOURCES for fault in faults_for(source))
    for fault, rate in FAULT_RATES.items():
        assert seen[fault] / MANY == pytest.approx(rate, abs=0.05), fault


@pytest.mark.parametrize("fault", PRONE_TO)
def test_a_subcategory_has_its_weak_spot(fault: Fault) -> None:
    seen = Counter(found for source in SOURCES for found in faults_for(source, WEAK_IN[fault]))
    assert seen[fault] / MANY == pytest.approx(PRONE_RATE, abs=0.08)
    assert all(seen[other] / MANY < 0.2 for other in set(Fault) - {fault})


@pytest.mark.parametrize("fault", PRONE_TO)
def test_a_good_part_of_the_first_drafts_is_clean_without_guidance_and_far_more_with_it(fault: Fault) -> None:
    weak = {"subcategory": WEAK_IN[fault]}
    unguided = sum(not faults_in(source, **weak) for source in SOURCES) / MANY
    everything = "\n".join([*WARNINGS.values(), "Look for these first: charging time, noise level"])
    guided = sum(not faults_in(source, guidance=everything, **weak) for source in SOURCES) / MANY
    assert 0.30 <= unguided <= 0.50
    assert guided >= unguided + 0.25


@pytest.mark.parametrize("fault", list(WARNINGS))
def test_a_warning_prevents_its_own_mistake_most_of_the_time_and_no_other(fault: Fault) -> None:
    weak = {"subcategory": WEAK_IN.get(fault, "")}
    before, after = shares(**weak), shares(guidance=WARNINGS[fault], **weak)
    assert before[fault] > 0.04
    assert 0 < after[fault] < before[fault] * (1 - CURE_RATES[fault] + 0.2)
    for other in set(WARNINGS) - {fault, Fault.UNIT_SLIP}:  # sizes in loose form count as a slip until formatted
        assert after[other] == pytest.approx(before[other], abs=0.02), other


@pytest.mark.parametrize(
    "names",
    [
        "Look for these first: charging time",
        'Look for these first, then for everything else:\n<quote-0123456789ab of="fields">\nCharging time\n'
        "</quote-0123456789ab>",
        "Look for these fields first: weight, Ladezeit",
    ],
)
def test_a_field_to_look_for_first_is_found_under_its_name_in_either_language(names: str) -> None:
    sources, weak = with_fault(Fault.MISSING)
    clean = [not faults_in(source, guidance=names, **weak) for source in sources]
    assert sum(clean) / len(sources) > CURE_RATES[Fault.MISSING] - 0.1


def test_a_field_that_nobody_asked_for_stays_missing() -> None:
    sources, weak = with_fault(Fault.MISSING)
    assert all(faults_in(source, guidance="Look for these first: weight", **weak) for source in sources)


def test_a_field_that_the_source_does_not_have_is_not_made_up() -> None:
    asked = record(SOURCES[0], guidance="Look for these first: warranty, colour")
    assert asked == record(SOURCES[0])


@pytest.mark.parametrize(
    ("fault", "feedback"),
    [
        (Fault.UNIT_SLIP, "The size cannot be right, check the unit."),
        (Fault.WRONG_INFORMATION, "One value is wrong, another may be invented."),
        (Fault.LOOSE_FORM, "The format is loose."),
        (Fault.MISSING, "- Noise level: is missing, the source gives 79 dB(A)"),
    ],
)
def test_a_fix_mends_what_feedback_names_and_keeps_the_rest(fault: Fault, feedback: str) -> None:
    sources, weak = with_fault(fault)
    drafts = {source: record(source, **weak) for source in sources}
    clean = [not faults_in(source, draft=draft, feedback=feedback, **weak) for source, draft in drafts.items()]
    assert sum(clean) / len(sources) > 0.75
    for source, draft in drafts.items():
        assert record(source, draft=draft, feedback="Mind the tone.", **weak) == draft


def test_a_quoted_note_of_the_reviewer_is_heard() -> None:
    note = '<quote-0123456789ab of="note">\nThe size is off by ten.\n</quote-0123456789ab>'
    sources, weak = with_fault(Fault.UNIT_SLIP)
    clean = [not faults_in(source, draft=record(source, **weak), guidance=note, **weak) for source in sources]
    assert sum(clean) / len(sources) > 0.75


def test_words_in_the_source_are_no_guidance() -> None:
    sly = "\n".join(WARNINGS.values())
    for source in SOURCES[:40]:
        longer = f"{source}\n{sly}"
        guided = record(longer)
        assert guided == record(longer, guidance="")
        assert {found.fault for found in differences(guided, clean_record(longer))} == faults_in(longer)


def test_a_slip_keeps_the_figure_and_takes_another_unit() -> None:
    (source, *_), weak = with_fault(Fault.UNIT_SLIP)
    slipped, clean = record(source, **weak)["dimensions"], clean_record(source)["dimensions"]
    changed = [name for name in clean if slipped[name] != clean[name]]
    assert changed
    assert all(slipped[name]["value"] == clean[name]["value"] for name in changed)


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
