"""Triggers: every threshold at every size of a window, and what counts once."""

import csv
from collections import defaultdict
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from uuid import uuid4

import pytest

from learning.triggers import MISSING_SPEC, THRESHOLDS, Triggers, decide, needed, read
from learning.window import RAISED_BY, Missing, Window, WindowRun, window
from tests.factories import SubcategoryFactory
from tests.learning.histories import history, reviewed

FRANK = Path(__file__).resolve().parents[3] / "shared" / "data" / "frank" / "human_per_criterion.csv"
COUNTED = [name for name in THRESHOLDS if name != MISSING_SPEC]


def run(number: int, flags: dict[str, bool] | None = None, missing: tuple[str, ...] = ()) -> WindowRun:
    return WindowRun(
        run_id=uuid4(),
        title="",
        reviewed_at=datetime(2026, 1, 1, tzinfo=UTC),
        decision="approve",
        last_decision="approve",
        reviewer="",
        flags=flags or {},
        evidence=dict.fromkeys(RAISED_BY, (number,)),
        missing=tuple(Missing(name.casefold(), (name,), (number,)) for name in missing),
    )


@pytest.mark.parametrize(
    ("of_ten", "values"),
    [
        (3, [1, 1, 1, 2, 2, 2, 3, 3, 3, 3]),
        (2, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]),
        (4, [1, 1, 2, 2, 2, 3, 3, 4, 4, 4]),
    ],
)
def test_thresholds_of_one_to_ten_runs(of_ten: int, values: list[int]) -> None:
    assert [needed(of_ten, reviewed) for reviewed in range(1, 11)] == values


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("size", range(11))
def test_every_count_at_every_size(name: str, size: int) -> None:
    flag, of_ten = THRESHOLDS[name]
    threshold = max(1, ceil(size * of_ten / 10))
    for raised in range(size + 1):
        runs = tuple(run(number, {flag: number < raised}) for number in range(size))
        triggers = decide(Window(runs))
        assert triggers[name].as_json() == {
            "fired": size > 0 and raised >= threshold,
            "count": raised,
            "threshold": threshold,
        }
        assert triggers[name].evidence == tuple(range(raised))
        assert triggers.low_confidence == (size < 10)
        assert all(not other.fired for key, other in triggers.by_name.items() if key != name)


@pytest.mark.parametrize("size", range(11))
def test_every_count_of_a_missing_field_at_every_size(size: int) -> None:
    threshold = max(1, ceil(size * 2 / 10))
    for raised in range(size + 1):
        runs = tuple(run(number, missing=("Torque",) if number < raised else ()) for number in range(size))
        trigger = decide(Window(runs))[MISSING_SPEC]
        assert trigger.fired == (raised >= threshold and size > 0)
        assert (trigger.count, trigger.threshold) == (raised, threshold)


@pytest.mark.django_db
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("size", range(13))
def test_every_size_from_stored_reviews(name: str, size: int) -> None:
    """Of twelve runs the two oldest have left the window, with what they raised."""
    signal, raising = RAISED_BY[THRESHOLDS[name][0]]
    subcategory = SubcategoryFactory()
    threshold = max(1, ceil(min(size, 10) * THRESHOLDS[name][1] / 10))
    history(subcategory, [[{signal: raising}]] * min(size, threshold + 2) + [[{}]] * max(0, size - threshold - 2))
    trigger = read(window("item", subcategory.pk))[name]
    assert trigger.count == min(size, threshold + 2) - max(0, size - 10)
    assert trigger.fired == (size > 0 and trigger.count >= threshold)


def test_fields_the_most_missed_first_a_tie_by_time() -> None:
    runs = (
        run(1, missing=("Torque", "Chuck")),
        run(2, missing=("TORQUE", "Speed")),
        run(3, missing=("Speed",)),
        *[run(n) for n in range(4, 11)],
    )
    trigger = decide(Window(runs))[MISSING_SPEC]
    assert trigger.as_json() == {
        "fired": True,
        "threshold": 2,
        "fields": [
            {"name": "Torque", "count": 2, "fired": True},
            {"name": "Speed", "count": 2, "fired": True},
            {"name": "Chuck", "count": 1, "fired": False},
        ],
    }
    assert trigger.evidence == (1, 2, 3)


def test_different_fields_in_many_runs_are_no_repetition() -> None:
    runs = tuple(run(n, missing=(f"Field {n}",)) for n in range(10))
    assert not decide(Window(runs))[MISSING_SPEC].fired


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (["Torque", "torque"], "Torque"),
        (["Weight", "Gewicht"], "Weight"),
        (["Gewicht", "Eigengewicht"], "weight"),
        (["Größe", "size"], "dimensions"),
    ],
)
@pytest.mark.django_db
def test_a_repeated_field_is_shown_as_written_or_as_merged(written: list[str], shown: str) -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"missing_spec": [name]}] for name in written] + [[{}]] * 8)
    trigger = read(window("item", subcategory.pk))[MISSING_SPEC]
    assert [(field.name, field.count, field.fired) for field in trigger.fields] == [(shown, 2, True)]


@pytest.mark.django_db
def test_a_run_counts_once_however_many_of_its_reviews_raise_a_flag() -> None:
    subcategory = SubcategoryFactory()
    reviewed(subcategory, *[{"decision": "revise", "bad_format": True, "missing_spec": ["Torque"]}] * 4)
    history(subcategory, [[{}]] * 9)
    triggers = read(window("item", subcategory.pk))
    assert triggers["bad_format_trigger"].as_json() == {"fired": False, "count": 1, "threshold": 3}
    assert triggers[MISSING_SPEC].as_json() == {
        "fired": False,
        "threshold": 2,
        "fields": [{"name": "Torque", "count": 1, "fired": False}],
    }
    assert len(triggers["bad_format_trigger"].evidence) == 4


def oracle(stream: list[dict[str, bool]]) -> dict[str, tuple[int, bool]]:
    """The rule once more, as plainly as it can be written."""
    last = stream[-10:]
    answers = {}
    for name in COUNTED:
        flag, of_ten = THRESHOLDS[name]
        count = len([flags for flags in last if flags.get(flag)])
        answers[name] = (count, count >= 1 and count * 10 >= len(last) * of_ten)
    return answers


def frank() -> dict[str, list[dict[str, bool]]]:
    """Real human error flags, a stream per system: what each person would have raised."""
    streams: dict[str, list[dict[str, bool]]] = defaultdict(list)
    with open(FRANK, newline="") as lines:
        for row in csv.DictReader(lines):
            streams[row["model_name"]].append(
                {
                    "bad_format": float(row["GramE"]) > 0.4,
                    "wrong_information": float(row["EntE"]) > 0.4 or float(row["OutE"]) > 0.4,
                    "wrong_physical_dimensions": float(row["CircE"]) > 0.4,
                    "information_present_low": float(row["RelE"]) > 0.2,
                }
            )
    return streams


@pytest.mark.skipif(not FRANK.exists(), reason="the FRANK annotations are not on this machine")
def test_real_streams_of_flags_agree_with_a_plain_reading_of_the_rule() -> None:
    seen: set[tuple[str, bool]] = set()
    for stream in frank().values():
        for end in range(1, len(stream) + 1):
            triggers: Triggers = decide(
                Window(tuple(run(n, flags) for n, flags in enumerate(stream[max(0, end - 10) : end])))
            )
            expected = oracle(stream[:end])
            assert {name: (triggers[name].count, triggers[name].fired) for name in COUNTED} == expected
            seen |= {(name, fired) for name, (_, fired) in expected.items()}
    assert seen == {(name, fired) for name in COUNTED for fired in (True, False)}  # every trigger went on and off
