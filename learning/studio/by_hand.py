"""Triggers as an admin sets them in a preview, over those that the window says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from learning.triggers import MISSING_SPEC, MissingField, Trigger, Triggers

Chosen = Mapping[str, bool]  # trigger → on or off; what is not in it stays as it stands


def set_by_hand(triggers: Triggers, chosen: Chosen, names: Sequence[str] = ()) -> Triggers:
    """names: the missing fields where that trigger is switched on; without any, those that the window says, or the
    one that it misses most. What is switched on keeps the evidence that the window has for it.
    """
    by_name = {
        name: _set(trigger, chosen[name], names) if name in chosen else trigger
        for name, trigger in triggers.by_name.items()
    }
    return replace(triggers, by_name=by_name)


def state_of(triggers: Triggers, chosen: Chosen) -> dict[str, Any]:
    """The triggers as JSON, those marked that were set by hand."""
    state = triggers.as_json()
    for name in chosen:
        state["triggers"][name]["by_hand"] = True
    return state


def _set(trigger: Trigger, on: bool, names: Sequence[str]) -> Trigger:
    if trigger.name != MISSING_SPEC:
        return replace(trigger, fired=on)
    fields = _fields(trigger, names) if on else ()
    evidence = sorted({event for field in fields for event in field.evidence})
    return replace(trigger, fired=bool(fields), fields=fields, evidence=tuple(evidence))


def _fields(trigger: Trigger, names: Sequence[str]) -> tuple[MissingField, ...]:
    known = {field.name.casefold(): field for field in trigger.fields}
    if names:
        found = [known.get(name.casefold(), MissingField(name, 0, True, ())) for name in names]
    else:
        found = [field for field in trigger.fields if field.fired] or list(trigger.fields[:1])
    return tuple(replace(field, fired=True) for field in found)
