"""The policy `steady`: what reviewers say of runs that were made without a trigger's guidance decides on it alone.

Guidance that works clears the runs that it was sent to, so that those say nothing of whether it is still needed.
Unguided are, for a trigger, all runs of the holdout, and those whose first round was made while the trigger was
off. Which runs these are was decided by a hash and by earlier reviews, never by what their own reviewers said.
"""

from collections.abc import Callable, Sequence

from learning.names import spelling
from learning.policies import STEADY, LookBack
from learning.policies.borrowing import loans
from learning.policies.evidence import BOUNDS, Level, Odds, follow, head_start, odds
from learning.triggers import MISSING_SPEC, THRESHOLDS, Gauge, MissingField, Trigger, Triggers, needed
from learning.window import Window, WindowRun

__all__ = ["LOOK_BACK", "decide", "loans"]
# The newest hundred tell of a jump; a hundred unguided ones reach back a thousand runs where one in ten is held
# out. The study finds the states of the whole history with them (docs/study.md).
LOOK_BACK = LookBack(newest=100, unguided=100)


def decide(window: Window) -> Triggers:
    """By its subcategory's thresholds over the shipped ones: what is rare and what is common follows from them."""
    by_name = {}
    for name, (flag, shipped) in THRESHOLDS.items():
        of_ten = window.thresholds.of_ten.get(name, shipped)
        decision = _missing_spec if name == MISSING_SPEC else _weighed
        by_name[name] = decision(name, flag, of_ten, window)
    return Triggers(window.reviewed, by_name)


def _weighed(name: str, flag: str, of_ten: int, window: Window) -> Trigger:
    unguided = [run for run in window.past if name not in run.guided]
    level, gauge = _level(name, unguided, lambda run: run.raised(flag), odds(of_ten), window)
    ten = [run for run in window.runs if run.raised(flag)]
    evidence = {event for run in (unguided[level.since :] if level.on else ten) for event in run.evidence[flag]}
    threshold = needed(of_ten, window.reviewed)
    return Trigger(name, flag, level.on, len(ten), threshold, tuple(sorted(evidence)), gauge=gauge)


def _level(
    name: str, unguided: Sequence[WindowRun], raised: Callable[[WindowRun], bool], weigh: Odds, window: Window
) -> tuple[Level, Gauge]:
    """name: the trigger's, or the field's as in `WindowRun.guided`."""
    said = [raised(run) for run in unguided]
    start = head_start(*window.loan.of(name), weigh)
    level = follow(said, weigh, start)
    own = follow(said, weigh) if start else level
    borrowed = round(max(0.0, level.value - own.value), 2)
    return level, Gauge(STEADY, round(level.value, 2), level.bound, borrowed, window.loan.lender)


def _missing_spec(name: str, flag: str, of_ten: int, window: Window) -> Trigger:
    """Each field by itself. One that is not on is shown where the ten runs hold it."""
    weigh, threshold = odds(of_ten), needed(of_ten, window.reviewed)
    named: dict[str, int] = {}
    for run in window.past:
        for missing in run.missing:
            named[missing.key] = named.get(missing.key, 0) + 1
    in_ten = {missing.key for run in window.runs for missing in run.missing}
    fields = []
    for key, count in named.items():
        most = head_start(*window.loan.of(f"{name}:{key}"), weigh) + count * weigh.raised
        if key in in_ten or most >= BOUNDS.enter:
            fields.append(_field(key, weigh, threshold, window))
    shown = sorted((one for one in fields if one.fired or one.key in in_ten), key=lambda one: -one.count)
    gauges = [one.gauge for one in shown if one.gauge]
    return Trigger(
        name,
        flag,
        any(one.fired for one in shown),
        max((one.count for one in shown), default=0),
        threshold,
        tuple(sorted({event for one in shown if one.fired for event in one.evidence})),
        tuple(shown),
        max(gauges, key=lambda gauge: gauge.level, default=Gauge(STEADY, 0.0, BOUNDS.enter)),
    )


def _field(key: str, weigh: Odds, threshold: int, window: Window) -> MissingField:
    def raised(run: WindowRun) -> bool:
        return any(missing.key == key for missing in run.missing)

    name = f"{MISSING_SPEC}:{key}"
    unguided = [run for run in window.past if name not in run.guided]
    level, gauge = _level(name, unguided, raised, weigh, window)
    written = [missing for run in window.past for missing in run.missing if missing.key == key]
    behind = unguided[level.since :] if level.on else window.runs
    evidence = (m.evidence for run in behind for m in run.missing if m.key == key)
    return MissingField(
        spelling(key, window.synonyms, [spelt for missing in written for spelt in missing.names]),
        sum(map(raised, window.runs)),
        level.on,
        tuple(sorted({event for ids in evidence for event in ids})),
        key,
        gauge,
    )
