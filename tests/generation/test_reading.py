"""JSON in answers, found by parsing, and what can be stored of it."""

import json
from typing import Any

import pytest

from generation.reading import first_object, objects, storable, storable_json


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here you are:\n```json\n{"a": {"b": 2}}\n```', {"a": {"b": 2}}),
        ('{broken {"a": 1} trailing', {"a": 1}),
        ('{"a": "} {"} rest', {"a": "} {"}),
        ("[1, 2]", None),
        ('{"a": NaN}', None),
        ("no object", None),
        ("", None),
        ("{" * 3000, None),
        ('{"a":' * 90 + "{}" + "}" * 90 + '{"b": 1}', json.loads('{"a":' * 90 + "{}" + "}" * 90)),
        ('{"a":' * 102 + "1" + "}" * 102 + '{"b": 1}', {"b": 1}),
    ],
)
def test_first_object(text: str, found: object) -> None:
    assert first_object(text) == found


def test_objects_in_order_and_not_the_inner_ones() -> None:
    assert list(objects('{"a": {"x": 1}} and {"b": 2}')) == [{"a": {"x": 1}}, {"b": 2}]


def test_what_stands_beside_the_depths_is_found() -> None:
    """Whatever is skipped of the levels that nest too deep to be decoded."""
    depths = '{"a":' * 3000 + "1" + "}" * 3000
    text = f'{{"before": {{"x": 1}}, "in": [{depths}], "after": {{"y": 2}}}} {{"b": 3}}'
    assert list(objects(text)) == [{"x": 1}, {"y": 2}, {"b": 3}]


@pytest.mark.parametrize(
    ("text", "stored"),
    [("a\0b", "a\ufffdb"), ("\ud800x", "\ufffdx"), ("½″ 😀 نیم\u200cفاصله", "½″ 😀 نیم\u200cفاصله")],
)
def test_storable(text: str, stored: str) -> None:
    assert storable(text) == stored


def test_what_nests_too_deep_is_not_decoded_level_by_level(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    decode = json.JSONDecoder.raw_decode

    def counted(decoder: json.JSONDecoder, text: str, at: int = 0) -> Any:
        tried.append(at)
        return decode(decoder, text, at)

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counted)
    assert first_object('{"a":' * 6000 + "1" + "}" * 6000) is None
    assert 0 < len(tried) < 600


def test_storable_json_reaches_keys_and_numbers() -> None:
    assert storable_json({"a\0": [float("inf"), "x\0", {"y": float("nan")}, 1.5, 2]}) == {
        "a\ufffd": [None, "x\ufffd", {"y": None}, 1.5, 2]
    }
