"""Names in texts: whole words, whatever their case; "hair" does not hold "AI"."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generation.flows.editorial.source import names_in, topics_of

WORD = re.compile(r"[^\W_]")


def has_words(text: Any) -> bool:
    """Whether a reader would find something to read in it: at least a letter or a figure."""
    return isinstance(text, str) and WORD.search(text) is not None


def holds(text: str, name: str) -> bool:
    """Whether the text has the name as whole words, apart from case and spacing."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return bool(words) and re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def text_of(content: Any) -> str:
    """All that a reader reads in a record of any shape, a line per text; mentions are said about it, not in it."""
    if isinstance(content, Mapping):
        content = {key: value for key, value in content.items() if key not in ("mentions", "type")}
    return "\n".join(_texts(content))


def topic_text(topic: Mapping[str, Any]) -> str:
    """All that a topic says."""
    names = [*names_in(topic, "brands"), *names_in(topic, "people")]
    return "\n".join([str(topic.get("title") or ""), str(topic.get("summary") or ""), *names])


def offered(source: Mapping[str, Any], field: str) -> list[str]:
    """The names that the topics list, in their order, each once."""
    return list(dict.fromkeys(name for topic in topics_of(source) for name in names_in(topic, field)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if key != "type":
                yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
