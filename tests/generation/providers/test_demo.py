"""The demo provider from prompt to answer: what it reads, the mistakes it makes, and the guidance it follows."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation

from generation.providers import ProviderError, Search, provider
from generation.providers.demo.compare import differences
from generation.providers.demo.extract import clean_record
from generation.providers.demo.faults import (
    CURE_RATES,
    FAULT_RATES,
    PRONE_RATE,
    PRONE_TO,
    Fault,
)
from generation.providers.demo.mistakes import faults_for
from tests.generation.providers.asking import (
    EXPECTED_FAULTS,
    MANY,
    SOURCES,
    WARNINGS,
    WEAK_IN,
    answer,
    faults_in,
    prompt,
    record,
    shares,
    with_fault,
)


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
