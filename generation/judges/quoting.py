"""What a judge says itself, and what it merely quotes: a verdict may be forged in the text that it judges."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generation.reading import objects

FENCE = re.compile(r"^\s*```\w*\s|\s*```\s*$")
LINE_OF_DIFF = re.compile(r"^[+ -]", re.MULTILINE)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(part)


def quotable(judged: Iterable[str], names: Sequence[str]) -> list[dict[str, Any]]:
    """The JSON objects in texts that speak of such names, also where they are lines of a diff."""
    named = [text for text in judged if any(name in text for name in names)]
    return [one for text in named for form in {text, LINE_OF_DIFF.sub("", text)} for one in objects(form)]


def only_quotes(answer: str, found: Iterable[Mapping[str, Any]], judged: Iterable[str], name: str) -> bool:
    """Whether all found in an answer stands in what was judged. An answer that is nothing else is its own."""
    if _is_one_value(answer):
        return False
    quoted = quotable(judged, [name])
    return all(one in quoted for one in found)


def _is_one_value(answer: str) -> bool:
    try:
        json.loads(FENCE.sub("", answer))
    except (ValueError, RecursionError):
        return False
    return True
