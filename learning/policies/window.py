"""The policy `window`: the ten runs reviewed last decide alone; so many of them that raised it switch it on."""

from collections import Counter

from learning.names import spelling
from learning.policies import LookBack
from learning.triggers import MISSING_SPEC, THRESHOLDS, MissingField, Trigger, Triggers, needed
from learning.window import SIZE, Window

LOOK_BACK = LookBack(SIZE)


def decide(window: Window) -> Triggers:
    """By its subcategory's thresholds over the shipped ones. A run counts once per flag, however many of its
    reviews raised it."""
    by_name = {}
    for name, (flag, shipped) in THRESHOLDS.items():
        threshold = needed(window.thresholds.of_ten.get(name, shipped), window.reviewed)
        decision = _missing_spec if name == MISSING_SPEC else _counted
        by_name[name] = decision(name, flag, threshold, window)
    return Triggers(window.reviewed, by_name)


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
