"""The deterministic check: form, units, and sizes far off what was approved."""

import json
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from generation.flows.item.check import approved_sizes, check, read
from generation.flows.item.record import Item
from generation.flows.item.units import in_base, kind_of
from generation.models import Run, Status
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.generation.scripted import RECORD


def item(**changes: Any) -> Item:
    return Item.model_validate(RECORD | changes)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "/name"),
        ({"weight": 3}, "/weight"),
        ({"dimensions": {"length": {"value": "1.900", "unit": "mm"}}}, "/dimensions/length/value"),
        ({"dimensions": {"length": {"value": True, "unit": "mm"}}}, "/dimensions/length/value"),
        ({"dimensions": {"length": {"value": float("inf"), "unit": "mm"}}}, "/dimensions/length/value"),
        ({"dimensions": {"length": "18 cm"}}, "/dimensions/length"),
        ({"dimensions": {"volume": None}}, "/dimensions/volume"),
        ({"specifications": [{"name": "x", "value": [1]}]}, "/specifications/0/value"),
        ({"specifications": "none"}, "/specifications"),
    ],
)
def test_errors_of_form_are_at_their_field(changes: dict[str, Any], field: str) -> None:
    found, findings = read(RECORD | changes)
    assert found is None
    assert findings and all(f["field"].startswith(field) and f["severity"] == "error" for f in findings)


@pytest.mark.parametrize("value", ["4,0", "1.900", "zwölf", 4, 4.5, None])
def test_values_stay_as_the_model_gave_them(value: object) -> None:
    found, findings = read(RECORD | {"specifications": [{"name": "x", "value": value, "unit": None}]})
    assert found is not None and not findings
    assert json.dumps(found.specifications[0].value) == json.dumps(value)


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("mm", "length"), ("MM", "length"), ("Zoll", "length"), ('"', "length"), ("″", "length"),
        ("inch", "length"),
        ("in.", "length"), ("in", "length"), ("Meter", "length"), ("fuß", "length"), ("ft", "length"),
        ("kg", "mass"), ("KG", "mass"), ("Kg", "mass"), ("Gramm", "mass"), ("g", "mass"), ("lbs", "mass"),
        ("oz", "mass"),
        ("°C", "other"), ("W", "other"), ("l", "other"),
        ("Stück", None), ("", None), ("m**9**9", None), ("cm x cm", None), ("10", None),
    ],
)  # fmt: skip
def test_units_as_people_write_them(unit: str, kind: str | None) -> None:
    assert kind_of(unit) == kind


@pytest.mark.parametrize(
    ("value", "unit", "metres"), [(10, "mm", 0.01), (2, "Zoll", 0.0508), (1, "ft", 0.3048), (3, "kg", None)]
)
def test_lengths_in_metres(value: float, unit: str, metres: float | None) -> None:
    assert in_base(value, unit, "length") == (pytest.approx(metres) if metres else None)


@pytest.mark.parametrize(
    ("dimensions", "code"),
    [
        ({"length": {"value": 18, "unit": "Ellen"}}, "unknown_unit"),
        ({"length": {"value": 18, "unit": "kg"}}, "wrong_unit"),
        ({"weight": {"value": 18, "unit": "cm"}}, "wrong_unit"),
        ({"length": {"value": 0, "unit": "cm"}}, "not_positive"),
        ({"length": {"value": -3, "unit": "cm"}}, "not_positive"),
        ({"length": {"value": 18, "unit": "cm"}}, None),
    ],
)
def test_units_are_checked(dimensions: dict[str, Any], code: str | None) -> None:
    assert [found["code"] for found in check(item(dimensions=dimensions), {})] == ([code] if code else [])


@pytest.mark.parametrize(
    ("approved", "value", "unit", "flagged"),
    [
        ([0.1, 0.1, 0.1], 40, "cm", False),  # exactly four times
        ([0.1, 0.1, 0.1], 40.1, "cm", True),
        ([0.1, 0.1, 0.1], 25, "mm", False),  # exactly a quarter
        ([0.1, 0.1, 0.1], 24.9, "mm", True),
        ([0.1, 0.1, 0.1], 1016, "mm", True),
        ([0.1, 0.1], 1016, "mm", False),  # two records say nothing
        ([0.0254] * 3, 4, "in", False),  # conversion leaves four times four times
        ([0.1, 0.1, 90.0], 11, "cm", False),  # the median, not the mean
    ],
)
def test_sizes_far_off_the_approved_ones(approved: list[float], value: float, unit: str, flagged: bool) -> None:
    found = check(item(dimensions={"length": {"value": value, "unit": unit}}), {"length": approved})
    assert [f["code"] for f in found] == (["implausible_size"] if flagged else [])
    assert all(f["field"] == "/dimensions/length" and f["severity"] == "warning" for f in found)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (101.6, "length 101.6 cm is 10.2 times the median of 3 approved records, 10 cm"),
        (2, "length 2 cm is 5.0 times smaller than the median of 3 approved records, 10 cm"),
        (2.5e6, "length 2500000 cm is 250000.0 times the median of 3 approved records, 10 cm"),
    ],
)
def test_a_size_far_off_is_told_with_the_median(value: float, told: str) -> None:
    found = check(item(dimensions={"length": {"value": value, "unit": "cm"}}), {"length": [0.1, 0.1, 0.1]})
    assert [f["detail"] for f in found] == [told]


def test_a_median_is_written_out_not_as_a_power_of_ten() -> None:
    found = check(item(dimensions={"weight": {"value": 290, "unit": "g"}}), {"weight": [1.512, 1.512, 1.512]})
    told = "weight 290 g is 5.2 times smaller than the median of 3 approved records, 1510 g"
    assert [f["detail"] for f in found] == [told]


@pytest.mark.parametrize("value", [10**400, -(10**13), 1e300])
def test_a_number_beyond_all_sizes_is_told_and_not_calculated_with(value: float) -> None:
    found = check(item(dimensions={"length": {"value": value, "unit": "mm"}}), {"length": [0.1, 0.1, 0.1]})
    assert [(f["code"], f["severity"]) for f in found] == [("implausible_size", "error")]


def test_number_that_reads_in_two_ways() -> None:
    found = check(item(specifications=[{"name": "rpm", "value": "1.900", "unit": "1/min"}]), {})
    assert [(f["field"], f["code"]) for f in found] == [("/specifications/0/value", "ambiguous_number")]


def approved(subcategory: Any, length: object, *, unit: str = "cm", **fields: Any) -> Run:
    reviewed = {"last_reviewed_at": timezone.now(), "last_review_event_id": 1}
    run: Run = RunFactory(
        subcategory=subcategory, **({"status": Status.APPROVED, "revision": 2} | reviewed | fields)
    )
    DraftFactory(run=run, revision=1, content={"dimensions": {"length": {"value": 999, "unit": "m"}}})
    DraftFactory(run=run, revision=2, content={"dimensions": {"length": {"value": length, "unit": unit}}})
    return run


@pytest.mark.django_db
def test_approved_sizes_are_of_final_drafts_of_the_subcategory(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    subcategory = SubcategoryFactory()
    mine = approved(subcategory, 1)
    for length, unit in ((10, "cm"), (100, "mm"), ("10", "cm"), (10, "Ellen"), (True, "kg")):
        approved(subcategory, length, unit=unit)
    approved(SubcategoryFactory(), 70)
    approved(subcategory, 80, status=Status.REJECTED)
    approved(subcategory, 90, flow="other")
    approved(subcategory, 95, last_reviewed_at=None, last_review_event_id=None)  # by a service
    approved(subcategory, 10**400)
    DraftFactory(run=RunFactory(subcategory=subcategory, status=Status.APPROVED), content={"dimensions": "none"})
    with django_assert_num_queries(1):
        assert approved_sizes(mine) == {"length": [pytest.approx(0.1), pytest.approx(0.1)]}


@pytest.mark.django_db
def test_only_the_last_fifty_count() -> None:
    subcategory = SubcategoryFactory()
    for length in range(1, 54):
        approved(subcategory, length)
    assert len(approved_sizes(RunFactory(subcategory=subcategory))["length"]) == 50
