"""A reviewer who follows fixed rules: compares a record with what a faultless reading of the source gives.

Used for demo content and simulations alone, and named as what it is wherever its reviews are seen.
"""

from collections.abc import Mapping
from typing import Any

from generation.providers.demo.extract import clean_record
from review.models import Decision
from review.normalise import fold
from review.recording import Fields

TOLERANCE = 0.02  # sizes that differ by less are the same
MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}
GRAMS = {"g": 1.0, "kg": 1000.0, "lb": 453.592, "oz": 28.3495}

Record = Mapping[str, Any]


def review(source_text: str, record: Record, *, last_round: bool = False) -> Fields:
    """The form as the rules fill it: approve what is clean, revise what is not, reject what stays so."""
    clean = clean_record(source_text)
    missing = _missing(clean, record)
    wrong_size = _wrong_sizes(clean, record)
    wrong_fact = _wrong_facts(clean, record)
    loose = _loose_form(clean, record)
    faulty = bool(missing or wrong_size or wrong_fact or loose)
    decision = Decision.APPROVE
    if faulty:
        decision = Decision.REJECT if last_round else Decision.REVISE
    return Fields(
        decision=decision,
        information_present=len(missing) < 2,
        missing_spec=missing[:3],
        bad_format=loose,
        wrong_information=wrong_fact,
        wrong_physical_dimensions=wrong_size,
        notes=_note(missing, wrong_size),
    )


def _note(missing: list[str], wrong_size: bool) -> str:
    if wrong_size:
        return "The size does not fit the source, check the unit."
    return f"The source gives {missing[0]}." if missing else ""


def _specifications(record: Record) -> dict[str, tuple[str, str]]:
    return {
        fold(str(spec.get("name") or "")): (fold(str(spec.get("value") or "")), fold(str(spec.get("unit") or "")))
        for spec in record.get("specifications") or []
    }


def _missing(clean: Record, record: Record) -> list[str]:
    given = {name for name, (value, _) in _specifications(record).items() if value}
    return [str(spec["name"]) for spec in clean["specifications"] if fold(str(spec["name"])) not in given]


def _wrong_facts(clean: Record, record: Record) -> bool:
    """A specification that the source lacks, or another value than the source gives (its unit aside)."""
    true = _specifications(clean)
    return any(
        value and (name not in true or not _same_value(value, true[name]))
        for name, (value, _) in _specifications(record).items()
    )


def _same_value(value: str, true: tuple[str, str]) -> bool:
    return value in (true[0], f"{true[0]} {true[1]}", f"{true[0]}{true[1]}")


def _wrong_sizes(clean: Record, record: Record) -> bool:
    true, given = clean.get("dimensions") or {}, record.get("dimensions") or {}
    return any(
        given.get(name) and not _same_size(given[name], size) for name, size in true.items() if size
    ) or any(size and not true.get(name) for name, size in given.items())


def _same_size(given: Mapping[str, Any], true: Mapping[str, Any]) -> bool:
    sizes = [_in_base(given), _in_base(true)]
    if sizes[0] is None or sizes[1] is None:
        return False
    return abs(sizes[0] - sizes[1]) <= TOLERANCE * abs(sizes[1])


def _in_base(size: Mapping[str, Any]) -> float | None:
    factor = {**MILLIMETRES, **GRAMS}.get(str(size.get("unit")))
    value = size.get("value")
    return value * factor if factor and isinstance(value, int | float) else None


def _loose_form(clean: Record, record: Record) -> bool:
    """A value that carries its unit, where a faultless reading has none in it."""
    true = {spec.get("value") for spec in clean["specifications"]}
    return any(
        isinstance(value := spec.get("value"), str)
        and value not in true
        and not spec.get("unit")
        and value[:1].isdigit()
        and not value[-1:].isdigit()
        for spec in record.get("specifications") or []
    )
