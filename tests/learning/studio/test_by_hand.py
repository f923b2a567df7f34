"""Triggers set by hand: only what was chosen changes, and what is switched on keeps its evidence."""

from collections.abc import Mapping

import pytest

from learning.studio.by_hand import set_by_hand, state_of
from learning.triggers import MISSING_SPEC, THRESHOLDS, MissingField, Trigger, Triggers

FORM, FACTS = "bad_format_trigger", "wrong_information_trigger"
FIELDS = (MissingField("torque", 3, True, (4, 5, 6)), MissingField("noise", 1, False, (7,)))


def standing() -> Triggers:
    by_name = {name: Trigger(name, flag, False, 0, of_ten) for name, (flag, of_ten) in THRESHOLDS.items()}
    by_name[FORM] = Trigger(FORM, "bad_format", True, 4, 3, (1, 2, 3, 9))
    by_name[FACTS] = Trigger(FACTS, "wrong_information", False, 1, 3, (8,))
    by_name[MISSING_SPEC] = Trigger(MISSING_SPEC, "missing_spec", True, 3, 2, (4, 5, 6), FIELDS)
    return Triggers(10, by_name)


@pytest.mark.parametrize(
    ("chosen", "fired"),
    [
        ({}, {FORM, MISSING_SPEC}),
        ({FACTS: True}, {FORM, MISSING_SPEC, FACTS}),
        ({FORM: False}, {MISSING_SPEC}),
        ({FORM: True}, {FORM, MISSING_SPEC}),
        ({MISSING_SPEC: False, FORM: False}, set()),
    ],
)
def test_only_what_was_chosen_changes(chosen: Mapping[str, bool], fired: set[str]) -> None:
    found = set_by_hand(standing(), chosen)
    assert set(found.fired) == fired
    before = standing()
    assert all(found[name] == before[name] for name in THRESHOLDS if name not in chosen)


def test_evidence_is_the_windows() -> None:
    assert set_by_hand(standing(), {FACTS: True})[FACTS].evidence == (8,)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), [("torque", (4, 5, 6))]),
        (("Noise",), [("noise", (7,))]),
        (("weight", "torque"), [("weight", ()), ("torque", (4, 5, 6))]),
    ],
)
def test_missing_fields_by_name(names: tuple[str, ...], expected: list[tuple[str, tuple[int, ...]]]) -> None:
    trigger = set_by_hand(standing(), {MISSING_SPEC: True}, names)[MISSING_SPEC]
    assert [(field.name, field.evidence) for field in trigger.fields if field.fired] == expected
    assert trigger.evidence == tuple(sorted(event for _name, events in expected for event in events))


def test_without_any_field_there_is_nothing_to_say() -> None:
    nothing = Triggers(0, {MISSING_SPEC: Trigger(MISSING_SPEC, "missing_spec", False, 0, 1)})
    assert not set_by_hand(nothing, {MISSING_SPEC: True})[MISSING_SPEC].fired


def test_the_state_marks_what_was_set() -> None:
    state = state_of(standing(), {FORM: True})["triggers"]
    assert state[FORM]["by_hand"] is True
    assert "by_hand" not in state[FACTS]
