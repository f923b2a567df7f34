"""Fields in the schema's order, whatever order the database gives them."""

import json

from generation.flows.editorial.record import Editorial
from generation.flows.item.record import Item
from generation.flows.order import in_order, schema_of


def test_lists_and_optional_objects_are_ordered_inside() -> None:
    stored = {
        "sources": [],
        "dimensions": {"weight": {"unit": "kg", "value": 1}, "length": None},
        "specifications": [{"name": "power", "unit": "W", "value": 5}, "odd"],
        "extra": 1,
        "name": "x",
    }
    ordered = in_order(stored, Item)
    assert list(ordered) == [*Item.model_fields, "extra"]
    assert json.dumps(ordered["specifications"][0]) == '{"name": "power", "value": 5, "unit": "W"}'
    assert ordered["specifications"][1] == "odd"
    assert list(ordered["dimensions"]["weight"]) == ["value", "unit"]


def test_of_several_kinds_each_part_is_ordered_as_its_own() -> None:
    blocks = [{"text": "Wax.", "type": "quote"}, {"tags": ["a"], "type": "hashtags"}, {"type": "odd", "b": 1}, 7]
    ordered = in_order({"title": "T", "blocks": blocks}, Editorial)["blocks"]
    assert json.dumps(ordered[0]) == '{"type": "quote", "text": "Wax.", "speaker": null}'
    assert ordered[1:] == [{"type": "hashtags", "tags": ["a"]}, {"type": "odd", "b": 1}, 7]


def test_a_field_left_out_is_null_and_an_object_left_out_is_empty() -> None:
    ordered = in_order({}, Item)
    assert ordered["name"] is None
    assert set(ordered["dimensions"].values()) == {None}


def test_a_flow_that_is_gone_has_no_schema() -> None:
    assert schema_of("gone") is None
    assert in_order({"b": 1, "a": 2}, None) == {"b": 1, "a": 2}
