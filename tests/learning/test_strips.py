"""Strips and the matrix: cells in time order, and a count that fits them."""

import pytest

from learning.policies import choosing
from learning.strips import TRIGGERS, matrix, strips
from learning.templatetags import drawings
from learning.triggers import MISSING_SPEC, decide
from learning.window import window
from tests.factories import SubcategoryFactory
from tests.learning.histories import Review, history, reviewed

pytestmark = pytest.mark.django_db

WRONG = {"wrong_physical_dimensions": True}
RIGHT = {"wrong_physical_dimensions": False}


def states(name: str, *reviews: Review) -> list[str]:
    subcategory = SubcategoryFactory()
    history(subcategory, [[review] for review in reviews])
    seen = window("item", subcategory.pk)
    [found] = [strip for strip in strips(seen, decide(seen)) if strip.name == name]
    return [cell.state for cell in found.cells]


def test_cells_stand_in_time_order_and_fill_up_to_ten() -> None:
    found = states("wrong_physical_dimensions_trigger", RIGHT, WRONG, {})
    assert found == ["clear", "raised", "unset"] + ["absent"] * 7


def test_a_missing_field_is_raised_where_it_was_named_and_clear_elsewhere() -> None:
    found = states(
        MISSING_SPEC, {"missing_spec": ["Torque"]}, {"missing_spec": ["noise"]}, {"missing_spec": ["torque "]}
    )
    assert found == ["raised", "clear", "raised"] + ["absent"] * 7


def test_raised_cells_are_as_many_as_the_count_says() -> None:
    subcategory = SubcategoryFactory()
    reviews = [
        {"missing_spec": ["torque"], "bad_format": n % 3 == 0, "wrong_information": n % 4 == 0} for n in range(10)
    ]
    history(subcategory, [[review] for review in reviews])
    seen = window("item", subcategory.pk)
    for strip in [*strips(seen, decide(seen)), *matrix(seen, decide(seen))]:
        assert sum(cell.state == "raised" for cell in strip.cells) == strip.count
        assert strip.on == (strip.count >= strip.threshold)


def test_the_matrix_has_a_row_per_missing_field_and_the_strips_one() -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[{"missing_spec": ["torque", "noise"]}], [{"missing_spec": ["torque"]}]])
    seen = window("item", subcategory.pk)
    labels = [row.label for row in matrix(seen, decide(seen)) if row.name == MISSING_SPEC]
    assert labels == ["Missing: torque", "Missing: noise"]
    assert len(strips(seen, decide(seen))) == len(TRIGGERS)


def test_the_new_run_is_marked_and_its_raised_strips_moved() -> None:
    subcategory = SubcategoryFactory()
    *_, new = history(subcategory, [[RIGHT], [WRONG | {"bad_format": False}]])
    seen = window("item", subcategory.pk)
    found = strips(seen, decide(seen), new=new.pk)
    assert [strip.name for strip in found if strip.moved] == ["wrong_physical_dimensions_trigger"]
    assert all(
        strip.cells[1].is_new and not strip.cells[0].is_new for strip in found if strip.name != MISSING_SPEC
    )


@pytest.mark.parametrize(("count", "percent"), [(0, 0), (1, 33), (2, 67), (3, 100)])
def test_per_cent_of_the_runs_that_there_are(count: int, percent: int) -> None:
    subcategory = SubcategoryFactory()
    history(subcategory, [[WRONG if n < count else RIGHT] for n in range(3)])
    seen = window("item", subcategory.pk)
    assert strips(seen, decide(seen))[0].percent == percent


def test_under_steady_the_gauge_tells_the_evidence() -> None:
    subcategory = SubcategoryFactory()
    choosing.choose("steady", by=None, why="test")
    saws = SubcategoryFactory(category=subcategory.category)
    for _ in range(10):
        reviewed(saws, {"bad_format": True})
    for _ in range(2):
        reviewed(subcategory, {"bad_format": True, "missing_spec": ["weight"]})
    seen = window("item", subcategory.pk)
    by_name = {strip.name: strip for strip in strips(seen, decide(seen))}
    lent = f"borrowed from {subcategory.category.name}: 3.3"
    format_strip, field = by_name["bad_format_trigger"], by_name[MISSING_SPEC]
    assert (format_strip.on, format_strip.count, format_strip.borrowed) == (True, 2, lent)
    assert format_strip.gauge == f"Evidence 5.6, at 2.6 it lets go, {lent}"
    assert (field.on, field.at, field.borrowed) == (False, "evidence 2.3 of 5.6", "")
    assert [cell.state for cell in field.cells[:2]] == ["raised", "raised"]
    assert drawings.strip(field) | {"strip": None} == {"strip": None, "fill": 48.7, "mark": 116, "first": 1}
