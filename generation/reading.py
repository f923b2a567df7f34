"""The one tolerant reader of JSON in answers, and what PostgreSQL can store of them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

DEEPEST = 100  # levels of nesting: no record has so many, and what walks a value has an end
LEVEL = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]', re.DOTALL)  # a string, so that what stands in it is none

Pairs = Callable[[list[tuple[str, Any]]], dict[str, Any]]


def found(text: str, pairs: Pairs | None = None) -> Iterator[tuple[dict[str, Any], int, int]]:
    """The JSON objects in a text, outermost and in order, whatever stands around them, and where each begins and
    ends; none nests too deep. pairs: makes an object of its pairs, or refuses it with a ValueError.
    """
    decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=pairs)
    position, hopeless = text.find("{"), set[int]()
    while position != -1:
        end = position + 1
        if position not in hopeless:
            try:
                one, end = decoder.raw_decode(text, position)
            except ValueError:
                pass
            except RecursionError:
                hopeless |= _around(text, position)
            else:
                if not nests_deeper(one, DEEPEST):
                    yield one, position, end
        position = text.find("{", end)


def _around(text: str, position: int) -> set[int]:
    """Where what nests too deep to be decoded begins, and the levels inside that nest too deep as well: to decode
    each of them would take a minute for a megabyte. What is closed before the depths is none of them.
    """
    opened: list[int] = []
    for token in LEVEL.finditer(text, position):
        if token[0] in "{[":
            opened.append(token.start())
        elif token[0] in "}]":
            opened.pop()
        if not 0 < len(opened) <= 2 * DEEPEST:
            break
    return {position, *opened[:DEEPEST]}


def objects(text: str) -> Iterator[dict[str, Any]]:
    return (one for one, _start, _end in found(text))


def first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text; None where there is none."""
    return next(objects(text), None)


def nests_deeper(value: Any, levels: int) -> bool:
    """Whether a JSON value has more levels than that. Further down it does not look."""
    level = [value]
    for _ in range(levels + 1):
        level = [item for part in level if isinstance(part, dict | list) for item in _parts(part)]
        if not level:
            return False
    return True


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def storable(text: str) -> str:
    """The text without what PostgreSQL refuses: NUL and half surrogate pairs, each made U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable_json(value: Any) -> Any:
    """The same for every string in a JSON value; numbers that are none become null."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(key)): storable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
