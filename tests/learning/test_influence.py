"""The influence map, a case per line of it and stage: what a signal or trigger says, and where it says nothing."""

from collections.abc import Mapping
from typing import Any

import pytest

from generation.flows import flow
from generation.guidance import Guidance, GuidanceRequest
from learning.influence import INFLUENCE, shows_example
from learning.resolver import resolve
from learning.triggers import THRESHOLDS
from tests.factories import SubcategoryFactory
from tests.learning.histories import history

pytestmark = pytest.mark.django_db

STAGES = ("categorizer", "extraction", "formatter", "supervisor")
MISSING = {"missing_spec": ["Torque", "Chuck size"]}

# (signal of the own review, stage) → words of the one guidance that it puts there; all other stages stay empty.
OWN = [
    ({"information_present": True}, {"extraction": ["do not search broadly", "explicitly given"]}),
    ({"information_present": False}, {"extraction": ["Search further", "null"]}),
    (MISSING, {"extraction": ["Look for these first", "- Torque\n- Chuck size"]}),
    (
        {"bad_format": True},
        {"extraction": ["strict", "schema"], "supervisor": ["strict", "FAIL"], "formatter": ["strict", "mend"]},
    ),
    (
        {"wrong_information": True},
        {
            "categorizer": ["Cross-check", "evidence", "subcategory"],
            "extraction": ["Cross-check", "evidence"],
            "supervisor": ["Cross-check every claim", "evidence", "FAIL"],
        },
    ),
    (
        {"wrong_physical_dimensions": True},
        {"extraction": ["plausible", "right unit"], "supervisor": ["plausible", "unit", "FAIL"]},
    ),
    ({"notes": "The torque is 60 Nm."}, {stage: ["quoted here", "The torque is 60 Nm."] for stage in STAGES}),
    ({"subcategory": "cordless-drills"}, {"categorizer": ["corrected the category", "- cordless-drills"]}),
    ({"bad_format": False, "wrong_information": False, "wrong_physical_dimensions": False}, {}),
    ({"notes": "  \n "}, {}),
    ({"missing_spec": []}, {}),
    ({}, {}),
]

# (what each of ten runs raised) → the same guidance, by the window's trigger; the categorizer hears no window.
TRIGGERED = [
    (
        {"information_present": False},
        "information_present_low_trigger",
        {"extraction": ["Search further", "null"]},
    ),
    (
        {"missing_spec": ["Torque"]},
        "missing_spec_trigger",
        {"extraction": ["Look for these first", "- Torque"]},
    ),
    (
        {"bad_format": True},
        "bad_format_trigger",
        {"extraction": ["strict"], "supervisor": ["strict", "FAIL"], "formatter": ["strict", "mend"]},
    ),
    (
        {"wrong_information": True},
        "wrong_information_trigger",
        {"extraction": ["Cross-check", "evidence"], "supervisor": ["evidence", "FAIL"]},
    ),
    (
        {"wrong_physical_dimensions": True},
        "wrong_physical_dimensions_trigger",
        {"extraction": ["plausible", "unit"], "supervisor": ["plausible", "unit", "FAIL"]},
    ),
    ({"information_present": True}, "", {}),
    ({"notes": "Never for other runs."}, "", {}),
    ({}, "", {}),
]


def ask(stage: str, subcategory: Any, review: Mapping[str, Any] | None = None, **request: Any) -> Guidance:
    return resolve(GuidanceRequest("item", stage, subcategory.pk, review=review, **request))


def holds(guidance: Guidance, stage: str, words: list[str], reason: str) -> None:
    fragments = guidance.fragments
    assert [f.placeholder for f in fragments] == ([f"{stage.upper()}_REVIEW"] if words else [])
    assert [f.reason for f in fragments] == ([reason] if words else [])
    for word in words:
        assert word in guidance.text(f"{stage.upper()}_REVIEW")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("review", "expected"), OWN)
def test_own_review(stage: str, review: Mapping[str, Any], expected: Mapping[str, list[str]]) -> None:
    guidance = ask(stage, SubcategoryFactory(), review)
    holds(guidance, stage, expected.get(stage, []), next(iter(review), ""))


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("review", "trigger", "expected"), TRIGGERED)
def test_window(stage: str, review: Mapping[str, Any], trigger: str, expected: Mapping[str, list[str]]) -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[review]] * 4 + [[{}]] * 6)
    guidance = ask(stage, subcategory)
    holds(guidance, stage, expected.get(stage, []), trigger)


BEATEN = [
    ({"bad_format": True}, {"bad_format": False}),
    ({"wrong_information": True}, {"wrong_information": False}),
    ({"wrong_physical_dimensions": True}, {"wrong_physical_dimensions": False}),
]


@pytest.mark.parametrize("stage", ["extraction", "supervisor"])
@pytest.mark.parametrize(("raised", "denied"), BEATEN)
def test_own_no_beats_the_window_and_unset_leaves_it(
    stage: str, raised: Mapping[str, Any], denied: Mapping[str, Any]
) -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[raised]] * 10)
    assert ask(stage, subcategory, denied).fragments == ()
    assert len(ask(stage, subcategory, {}).fragments) == 1
    [fragment] = ask(stage, subcategory, raised).fragments
    assert fragment.reason == next(iter(raised))


def test_own_yes_to_information_switches_the_windows_search_guidance_off() -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"information_present": False}]] * 10)
    [fragment] = ask("extraction", subcategory, {"information_present": True}).fragments
    assert fragment.guidance_key == "information_present.extraction"


def test_own_names_go_before_the_windows() -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"missing_spec": ["Torque"]}]] * 10)
    text = ask("extraction", subcategory, {"missing_spec": ["Chuck"]}).text("EXTRACTION_REVIEW")
    assert "- Chuck" in text
    assert "Torque" not in text


@pytest.mark.parametrize("stage", STAGES)
def test_what_is_steered(stage: str) -> None:
    subcategory = SubcategoryFactory()
    assert ask(stage, subcategory, {"information_present": True}).broad_search == (stage != "extraction")
    assert ask(stage, subcategory, {"information_present": False}).broad_search
    assert ask(stage, subcategory, {"bad_format": True}).force_formatter == (stage != "categorizer")
    history(subcategory, [[{"bad_format": True, "information_present": True}]] * 10)
    assert ask(stage, subcategory).force_formatter == (stage != "categorizer")
    assert ask(stage, subcategory).broad_search  # the window never turns search off
    assert not ask(stage, subcategory, {"bad_format": False}).force_formatter


def test_the_table_speaks_of_stages_and_triggers_that_there_are() -> None:
    for name, table in INFLUENCE.items():
        assert {line.stage for line in table} <= set(flow(name).stages)
        assert {line.trigger for line in table} - {""} == set(THRESHOLDS)
        assert len({line.key for line in table}) == len(table)
        assert all(f"{{{line.fills}}}" in line.text for line in table if line.fills)


def test_the_stages_that_show_an_example_are_those_that_make_a_record() -> None:
    showing = {(name, stage) for name in INFLUENCE for stage in flow(name).stages if shows_example(name, stage)}
    assert showing == {("item", "extraction"), ("editorial", "editorial"), ("question", "question")}
    assert not shows_example("gone", "extraction")


TELLING = {
    "information_present": ["broadly"],
    "information_present_low": ["further", "null"],
    "missing_spec": ["look for these first"],
    "bad_format": ["strict"],
    "wrong_information": ["cross-check", "evidence"],
    "wrong_physical_dimensions": ["plausible", "unit"],
}


OF_EDITORIALS = TELLING | {
    "information_present": ["stay with"],
    "information_present_low": ["further"],
    "missing_spec": ["these first"],
}
OF_QUESTIONS = TELLING | {
    "information_present": ["material alone"],
    "information_present_low": ["fuller"],
    "wrong_physical_dimensions": ["reference range"],
}
BY_FLOW = [("item", TELLING), ("editorial", OF_EDITORIALS), ("question", OF_QUESTIONS)]


@pytest.mark.parametrize(("flow_name", "telling"), BY_FLOW)
def test_each_line_has_the_telling_words_of_its_signal_and_of_no_other(
    flow_name: str, telling: Mapping[str, list[str]]
) -> None:
    for line in INFLUENCE[flow_name]:
        own = line.name or line.signal
        said = {signal for signal, words in telling.items() if any(word in line.text.lower() for word in words)}
        assert said == ({own} & set(telling)), line.key
        assert all(word in line.text.lower() for word in telling.get(own, []))
