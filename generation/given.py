"""JSON that callers have kept as they give it: what the database can hold of it, and how large it may become."""

import json
import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from pydantic import BaseModel

from generation.errors import BadInput, FieldProblem, pointer
from generation.reading import DEEPEST, nests_deeper, storable

FARTHEST = 1e40  # PostgreSQL writes exponents out: 1e308 are five characters, and would come back as 309
MOST_SOUGHT = 1000  # places in one body; nobody reads more


def refuse_unstorable(value: Any) -> None:
    """BadInput for strings that PostgreSQL cannot hold (NUL, half surrogate pairs), for numbers that JSON does not
    know, and for what nests too deep; every place is named.
    """
    given = value.model_dump() if isinstance(value, BaseModel) else value
    if _plainly_storable(given):
        return
    problems = list(islice(_unstorable(given), MOST_SOUGHT))
    if problems:
        raise BadInput(*problems)


def is_far(number: float) -> bool:
    """Whether it would be written out with more digits than anybody counts."""
    return number != 0 and not 1 / FARTHEST <= abs(number) <= FARTHEST


def far_numbers(value: Any, place: tuple[object, ...]) -> Iterator[FieldProblem]:
    """The numbers with a point or an exponent that are not kept, each at its place; whole ones are as given."""
    if isinstance(value, float):
        if is_far(value):
            yield FieldProblem(pointer(place), "A number is from 1e-40 to 1e40, or 0; give others as a text.")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from far_numbers(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from far_numbers(item, (*place, index))


def size(value: Any, most: int) -> int:
    """Bytes of its JSON in UTF-8 without spaces between, its numbers written out; above `most` as given."""
    given = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    return given if given > most else given + sum(map(_longer, _floats(value)))


def _longer(number: float) -> int:
    """By how many characters it is longer when it is written out."""
    return len(f"{Decimal(repr(number)):f}") - len(repr(number))


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _floats(item)


def _plainly_storable(value: Any) -> bool:
    """Settles nearly every body, in a fraction of the time that looking at each of its texts takes."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return "\\u0000" not in text and not nests_deeper(value, DEEPEST)


def _unstorable(value: Any, place: tuple[object, ...] = ()) -> Iterator[FieldProblem]:
    if len(place) > DEEPEST:
        yield FieldProblem(pointer(place), f"Nested deeper than {DEEPEST} levels.")
    elif isinstance(value, str):
        if storable(value) != value:
            yield FieldProblem(pointer(place), "A text may hold neither NUL nor half a surrogate pair.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield FieldProblem(pointer(place), "A number must be finite.")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unstorable(str(key), place)
            yield from _unstorable(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unstorable(item, (*place, index))
