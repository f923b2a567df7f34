"""Where a record differs from a faultless reading of its source."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generation.providers.demo import units, vocabulary
from generation.providers.demo.faults import Fault
from generation.providers.demo.vocabulary import concept, fold

TOLERANCE = 0.01  # sizes that differ by less are the same
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """One mistake. field: as people name it; reason: for a judge's feedback."""

    fault: Fault
    field: str
    reason: str


def differences(record: Record, clean: Record) -> list[Difference]:
    """Every mistake in a record of any shape; an empty list for the clean one."""
    found = [*_of_specifications(record, clean), *_of_sizes(record, clean)]
    if clean["description"] and not record.get("description"):
        found.append(Difference(Fault.GIVING_UP, "description", "is missing although the source describes it"))
    return found


def specifications(record: Record) -> dict[str, Mapping[str, Any]]:
    """By concept, what has no name left out."""
    listed = record.get("specifications")
    entries = [spec for spec in listed if isinstance(spec, Mapping)] if isinstance(listed, list) else []
    return {concept(str(spec["name"])): spec for spec in entries if spec.get("name")}


def sizes(record: Record) -> dict[str, Any]:
    given = record.get("dimensions")
    return {name: given.get(name) for name in vocabulary.DIMENSIONS} if isinstance(given, Mapping) else {}


def _of_specifications(record: Record, clean: Record) -> Iterator[Difference]:
    given, true = specifications(record), specifications(clean)
    lost = [spec for key, spec in true.items() if given.get(key, {}).get("value") is None]
    for spec in lost:
        fault = Fault.MISSING if len(lost) == 1 else Fault.GIVING_UP
        yield Difference(fault, str(spec["name"]), f"is missing, the source gives {shown(spec)}")
    for key, spec in given.items():
        name, value = str(spec["name"]), spec.get("value")
        if value is None:
            continue
        if key not in true:
            yield Difference(Fault.WRONG_INFORMATION, name, f"{shown(spec)} is not in the source")
        elif not _same_value(spec, true[key]):
            yield Difference(
                Fault.WRONG_INFORMATION, name, f"{shown(spec)} is wrong, the source says {shown(true[key])}"
            )
        elif value != true[key]["value"]:
            yield Difference(Fault.LOOSE_FORM, name, "carries its unit inside the value")


def _of_sizes(record: Record, clean: Record) -> Iterator[Difference]:
    given, true = sizes(record), sizes(clean)
    for name, size in true.items():
        found = given.get(name)
        if size and not found:
            yield Difference(Fault.MISSING, name, f"is missing, the source gives {shown(size)}")
        elif found and not size:
            yield Difference(Fault.WRONG_INFORMATION, name, "is not in the source")
        elif found and size and not same_size(found, size):
            reason = f"{shown(found)} cannot be the size or the unit, the source says {shown(size)}"
            yield Difference(Fault.UNIT_SLIP, name, reason)


def shown(holder: Any) -> str:
    if not isinstance(holder, Mapping):
        return str(holder)[:80]
    return " ".join(str(part) for part in (holder.get("value"), holder.get("unit")) if part is not None)[:80]


def _same_value(given: Mapping[str, Any], true: Mapping[str, Any]) -> bool:
    """The same fact, wherever the unit stands."""
    return fold(shown(given)).replace(" ", "") == fold(shown(true)).replace(" ", "")


def same_size(given: Any, true: Mapping[str, Any]) -> bool:
    one, other = _in_base(given), _in_base(true)
    return one is not None and other is not None and abs(one - other) <= TOLERANCE * abs(other)


def _in_base(size: Any) -> float | None:
    if not isinstance(size, Mapping):
        return None
    value, unit = size.get("value"), size.get("unit")
    factor = {**units.LENGTHS, **units.WEIGHTS}.get(unit) if isinstance(unit, str) else None
    return value * factor if factor and isinstance(value, int | float) else None
