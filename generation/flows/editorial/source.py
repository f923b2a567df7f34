"""What an editorial is made from: a keyword, and topics that somebody curated."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Topic(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
    brands: list[Name] = Field(default_factory=list, max_length=50)
    people: list[Name] = Field(default_factory=list, max_length=50)
    url: str | None = Field(default=None, max_length=2000)


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keyword: Name
    topics: list[Topic] = Field(min_length=1, max_length=50)


def title_of(source: Mapping[str, Any]) -> str:
    return _line(source.get("keyword"))[:200]


def topics_of(source: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The topics as they are numbered everywhere, from 1; what is no topic is left out."""
    listed = source.get("topics")
    return [topic for topic in listed if isinstance(topic, Mapping)] if isinstance(listed, list) else []


def names_in(topic: Mapping[str, Any], field: str) -> list[str]:
    listed = topic.get(field)
    return [_line(name) for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def render(source: Mapping[str, Any]) -> str:
    """The keyword, then the topics with their numbers, a blank line between them."""
    parts = [f"keyword: {title_of(source)}"]
    for number, topic in enumerate(topics_of(source), 1):
        lines = [f"topic {number}: {_line(topic.get('title'))}", str(topic.get("summary") or "").strip()]
        lines += _listed("brands", names_in(topic, "brands")) + _listed("people", names_in(topic, "people"))
        lines += _listed("url", [_line(topic.get("url"))])
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _listed(name: str, values: Sequence[str]) -> list[str]:
    said = "; ".join(value for value in values if value)
    return [f"{name}: {said}"] if said else []


def _line(value: Any) -> str:
    return " ".join(str(value or "").split())
