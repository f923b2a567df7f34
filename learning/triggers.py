"""Triggers: booleans read off a window, by a policy. Pure: the same window gives the same, without a query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from learning.policies import policy
from learning.window import SIZE, Window

log = structlog.get_logger(__name__)

MISSING_SPEC = "missing_spec_trigger"
# Trigger → the flag of a window's run that it counts, and how many of ten it takes where nobody set another.
THRESHOLDS: dict[str, tuple[str, int]] = {
    "bad_format_trigger": ("bad_format", 3),
    "wrong_information_trigger": ("wrong_information", 3),
    "wrong_physical_dimensions_trigger": ("wrong_physical_dimensions", 2),
    MISSING_SPEC: ("missing_spec", 2),
    "information_present_low_trigger": ("information_present_low", 4),
}


@dataclass(frozen=True)
class Gauge:
    """The evidence of a policy that weighs it: the level, and the bound at which the trigger changes.

    borrowed: how much of the level the category lent, and its name.
    """

    policy: str
    level: float
    bound: float
    borrowed: float = 0.0
    lender: str = ""

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"policy": self.policy, "level": self.level, "bound": self.bound}
        return found | ({"borrowed": self.borrowed, "borrowed_from": self.lender} if self.borrowed else {})


@dataclass(frozen=True)
class MissingField:
    """A field, and in how many runs of the window reviewers missed it."""

    name: str
    count: int
    fired: bool
    evidence: tuple[int, ...]
    key: str = ""  # what its names were folded to, where that is known
    gauge: Gauge | None = None

    def as_json(self) -> dict[str, Any]:
        found = {"name": self.name, "count": self.count, "fired": self.fired}
        return found if self.gauge is None else found | self.gauge.as_json()


@dataclass(frozen=True)
class Trigger:
    """count: the runs that raised it; for missing_spec, those that raised the field named most often."""

    name: str
    flag: str
    fired: bool
    count: int
    threshold: int
    evidence: tuple[int, ...] = ()  # ids of the events that raised it, oldest first
    fields: tuple[MissingField, ...] = ()  # missing_spec alone; the most missed first
    gauge: Gauge | None = None  # of missing_spec: the field's that is nearest to firing

    def as_json(self) -> dict[str, Any]:
        weighed = {} if self.gauge is None else self.gauge.as_json()
        if self.name != MISSING_SPEC:
            return {"fired": self.fired, "count": self.count, "threshold": self.threshold} | weighed
        fields = [field.as_json() for field in self.fields]
        return {"fired": self.fired, "threshold": self.threshold, "fields": fields} | weighed


@dataclass(frozen=True)
class Triggers:
    """basis: what they came from (`Window.basis`), where that was asked for."""

    reviewed: int
    by_name: dict[str, Trigger]
    basis: Mapping[str, Any] | None = None

    @property
    def speaking(self) -> tuple[str, ...]:
        """What guidance follows from them: each trigger that fired, of missing fields each field by its name."""
        fields = (f"{MISSING_SPEC}:{field.name}" for field in self.by_name[MISSING_SPEC].fields if field.fired)
        return (*(name for name in self.fired if name != MISSING_SPEC), *fields)

    @property
    def low_confidence(self) -> bool:
        return self.reviewed < SIZE

    @property
    def fired(self) -> tuple[str, ...]:
        return tuple(name for name, trigger in self.by_name.items() if trigger.fired)

    def __getitem__(self, name: str) -> Trigger:
        return self.by_name[name]

    def state(self) -> dict[str, Any]:
        """What is kept with a run: as callers are told, and what it came from."""
        return self.as_json() | ({} if self.basis is None else {"basis": dict(self.basis)})

    def as_json(self) -> dict[str, Any]:
        return {
            "window": {"size": SIZE, "reviewed": self.reviewed},
            "low_confidence": self.low_confidence,
            "triggers": {name: trigger.as_json() for name, trigger in self.by_name.items()},
        }


def needed(of_ten: int, reviewed: int) -> int:
    """How many runs it takes where that many were reviewed: ceil(n × k / 10), at least 1."""
    return max(1, -(-min(reviewed, SIZE) * of_ten // 10))


def decide(window: Window) -> Triggers:
    """The triggers of a window, by the policy that it is read by."""
    return policy(window.policy).decide(window)


def read(window: Window) -> Triggers:
    """`decide`, told to the log, with what the triggers came from."""
    triggers = replace(decide(window), basis=window.basis())
    log.info(
        "triggers_decided",
        reviewed=triggers.reviewed,
        low_confidence=triggers.low_confidence,
        counts={name: trigger.count for name, trigger in triggers.by_name.items()},
        fired=list(triggers.fired),
        unreadable_events=sum(run.unreadable for run in window.runs),
    )
    return triggers
