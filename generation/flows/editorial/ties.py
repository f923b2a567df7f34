"""Tying names to topics: what the enriching stage answers, held against the draft and the source."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from generation.flows.editorial.names import holds, text_of, topic_text
from generation.flows.editorial.record import Mention
from generation.flows.editorial.source import topics_of


def tied(answer: Mapping[str, Any], content: Mapping[str, Any], source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answer's mentions as far as they hold: a name that stands in the draft, tied to a topic that has it.

    A name of the draft that its topic does not have is tied to the first topic that does, or to none.
    """
    text, topics = text_of(content), [topic_text(topic) for topic in topics_of(source)]
    listed = answer.get("mentions")
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for given in listed if isinstance(listed, list) else []:
        mention = _read(given)
        if mention is None or not holds(text, mention.name):
            continue
        fold = (mention.kind, " ".join(mention.name.casefold().split()))
        kept.setdefault(fold, {**mention.model_dump(), "topic": _topic(mention, topics)})
    return list(kept.values())


def _read(given: Any) -> Mention | None:
    try:
        return Mention.model_validate(given)
    except ValidationError:
        return None


def _topic(mention: Mention, topics: list[str]) -> int | None:
    having = [number for number, text in enumerate(topics, 1) if holds(text, mention.name)]
    return mention.topic if mention.topic in having else next(iter(having), None)
