"""Triggers: booleans read off a window. Pure: the same window gives the same triggers, without a query."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from learning.names import spelling
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
class MissingField:
    """A field, and in how many runs of the window reviewers missed it."""

    name: str
    count: int
    fired: bool
    evidence: tuple[int, ...]


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

    def as_json(self) -> dict[str, Any]:
        if self.name != MISSING_SPEC:
            return {"fired": self.fired, "count": self.count, "threshold": self.threshold}
        fields = [{"name": f.name, "count": f.count, "fired": f.fired} for f in self.fields]
        return {"fired": self.fired, "threshold": self.threshold, "fields": fields}


@dataclass(frozen=True)
class Triggers:
    """basis: what they came from (`Window.basis`), where that was asked for."""

    reviewed: int
    by_name: dict[str, Trigger]
    basis: Mapping[str, Any] | None = None

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
    """The triggers of a window, by its subcategory's thresholds over the shipped ones. A run counts once per flag,
    however many of its reviews raised it."""
    by_name = {}
    for name, (flag, shipped) in THRESHOLDS.items():
        threshold = needed(window.thresholds.of_ten.get(name, shipped), window.reviewed)
        decision = _missing_spec if name == MISSING_SPEC else _counted
        by_name[name] = decision(name, flag, threshold, window)
    return Triggers(window.reviewed, by_name)


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


def _counted(name: str, flag: str, threshold: int, window: Window) -> Trigger:
    raised = [run for run in window.runs if run.raised(flag)]
    evidence = sorted(event for run in raised for event in run.evidence[flag])
    return Trigger(name, flag, len(raised) >= threshold, len(raised), threshold, tuple(evidence))


def _missing_spec(name: str, flag: str, threshold: int, window: Window) -> Trigger:
    counts: Counter[str] = Counter()
    written: dict[str, list[str]] = {}
    evidence: dict[str, list[int]] = {}
    for run in window.runs:
        for missing in run.missing:
            counts[missing.key] += 1
            written.setdefault(missing.key, []).extend(missing.names)
            evidence.setdefault(missing.key, []).extend(missing.evidence)
    fields = tuple(
        MissingField(
            spelling(key, window.synonyms, written[key]), count, count >= threshold, tuple(sorted(evidence[key]))
        )
        for key, count in counts.most_common()  # a tie: the field that was missed first
    )
    repeated = sorted({event for f in fields if f.fired for event in f.evidence})
    most = max(counts.values(), default=0)
    return Trigger(name, flag, most >= threshold, most, threshold, tuple(repeated), fields)
