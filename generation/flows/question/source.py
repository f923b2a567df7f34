"""What a question is made from: a topic, what it shall teach, and the material that it may draw on."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Topic = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Objective = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    topic: Topic
    objective: Objective = Field(description="the learning objective that the question examines")
    blooms_level: str | None = Field(default=None, max_length=60, description="of Bloom's taxonomy, e.g. apply")
    material: str | None = Field(default=None, max_length=200_000)


def title_of(source: Mapping[str, Any]) -> str:
    return " ".join(str(source.get("topic") or "").split())[:200]


def render(source: Mapping[str, Any]) -> str:
    """The topic first, then what is wanted, then the material."""
    lines = [str(source.get("topic") or ""), f"Learning objective: {source.get('objective') or ''}"]
    if level := source.get("blooms_level"):
        lines.append(f"Level of Bloom's taxonomy: {level}")
    if material := source.get("material"):
        lines.append(str(material))
    return "\n".join(line.strip() for line in lines)
