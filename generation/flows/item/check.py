"""The deterministic check of an item: its form by pydantic, its sizes by pint and by what was approved."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from statistics import median
from typing import Any

from django.db.models import F
from pydantic import ValidationError

from generation.flows.base import Finding
from generation.flows.item import units
from generation.flows.item.record import Dimensions, Item
from generation.models import Draft, Run, Status

FORM_ERRORS = frozenset({"schema", "unknown_unit"})  # what the formatter can mend
RECORDS = 50  # approved records that are looked at
FEWEST = 3  # fewer say nothing
FAR = 4.0  # times the median, or its quarter
LARGEST = 10**12  # in any unit; beyond it a number is a slip, and arithmetic may overflow
EPSILON = 1e-9  # converting units must not make exactly four times into more
AMBIGUOUS = re.compile(r"[+-]?\d{1,3}[.,]\d{3}")
FIELDS: dict[str, units.Kind] = {
    name: "mass" if name == "weight" else "length" for name in Dimensions.model_fields
}


def read(content: Mapping[str, Any]) -> tuple[Item | None, list[Finding]]:
    """The record where its form is right, and every error of form; the model's own values are kept."""
    try:
        return Item.model_validate(content), []
    except ValidationError as error:
        return None, [
            finding("".join(f"/{part}" for part in found["loc"]), "schema", found["msg"])
            for found in error.errors(include_url=False, include_input=False, include_context=False)
        ]


def check(item: Item, approved: Mapping[str, Sequence[float]]) -> list[Finding]:
    """What is wrong or suspicious in a record of the right form.

    approved: sizes of the subcategory's approved records per field, in metres and kilograms.
    """
    found: list[Finding] = []
    for name, kind in FIELDS.items():
        measure = getattr(item.dimensions, name)
        if measure is not None:
            found += _measure(f"/dimensions/{name}", measure.value, measure.unit, kind, approved.get(name, ()))
    for index, specification in enumerate(item.specifications):
        if isinstance(specification.value, str) and AMBIGUOUS.fullmatch(specification.value.strip()):
            detail = f"{specification.value} can be read in two ways"
            found.append(finding(f"/specifications/{index}/value", "ambiguous_number", detail, "warning"))
    return found


def _measure(field: str, value: float, unit: str, kind: units.Kind, approved: Sequence[float]) -> list[Finding]:
    if abs(value) > LARGEST:
        return [finding(field, "implausible_size", f"a number above {LARGEST:.0e} is no size")]
    known = units.kind_of(unit)
    if known is None:
        return [finding(field, "unknown_unit", f"{unit!r} is no known unit")]
    size = units.in_base(value, unit, kind)
    if size is None:
        return [finding(field, "wrong_unit", f"{unit!r} is no unit of {kind}")]
    if size <= 0:
        return [finding(field, "not_positive", f"{value} {unit} is no size")]
    if len(approved) < FEWEST:
        return []
    usual = median(approved)
    if usual / FAR * (1 - EPSILON) <= size <= usual * FAR * (1 + EPSILON):
        return []
    return [
        finding(field, "implausible_size", _far_off(field, value, unit, size / usual, len(approved)), "warning")
    ]


def _far_off(field: str, value: float, unit: str, ratio: float, records: int) -> str:
    """In words that stand alone: lists of runs show them without the field."""
    times = f"{ratio:.1f} times" if ratio > 1 else f"{1 / ratio:.1f} times smaller than"
    name = field.rpartition("/")[2]
    it, usual = f"{_written_out(value, 6)} {unit}", f"{_written_out(value / ratio, 3)} {unit}"
    return f"{name} {it} is {times} the median of {records} approved records, {usual}"


def _written_out(size: float, digits: int) -> str:
    """Rounded to so many digits that count, and never as a power of ten: 1500, not 1.5e+03."""
    return f"{Decimal(f'{size:.{digits}g}'):f}"


def finding(field: str, code: str, detail: str, severity: str = "error") -> Finding:
    return {"field": field, "code": code, "severity": severity, "detail": detail}


def approved_sizes(run: Run) -> dict[str, list[float]]:
    """Sizes in the records of the run's subcategory that people approved last, never the run's own; one bounded
    query. What a service approved teaches nothing.
    """
    if run.subcategory_id is None:
        return {}
    newest = Run.objects.reviewed().filter(
        flow=run.flow, subcategory_id=run.subcategory_id, status=Status.APPROVED
    )
    newest = newest.exclude(pk=run.pk).order_by("-last_reviewed_at", "-id")[:RECORDS]
    final = Draft.objects.filter(run__in=newest.values("id"), revision=F("run__revision"))
    sizes: dict[str, list[float]] = {}
    for dimensions in final.values_list("content__dimensions", flat=True):
        if isinstance(dimensions, dict):
            _collect(sizes, dimensions)
    return sizes


def _collect(sizes: dict[str, list[float]], dimensions: Mapping[str, Any]) -> None:
    for name, kind in FIELDS.items():
        measure = dimensions.get(name)
        if not isinstance(measure, dict) or not isinstance(measure.get("value"), int | float):
            continue
        if abs(measure["value"]) > LARGEST:
            continue
        size = units.in_base(measure["value"], str(measure.get("unit")), kind)
        if size is not None and size > 0:
            sizes.setdefault(name, []).append(size)
