"""What a change is made for: a work item, a repository, instructions; each may be left to the agent's prompt."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

LABELS = {"id": "work item", "title": "title", "status": "status", "priority": "priority"}
LONGEST_WORD = 200
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_WORD)]


class Bead(BaseModel):
    """The work item. A priority of 0 is one."""

    model_config = ConfigDict(extra="forbid")

    id: Word
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
    status: Word
    priority: int | str | None = None
    description: str | None = Field(default=None, max_length=100_000)

    @field_validator("priority", mode="before")
    @classmethod
    def _number_or_word(cls, value: Any) -> Any:
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_WORD:
            return value.strip()
        raise ValueError("a whole number, or a word")


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    bead: Bead | None = None
    repository: Word | None = None
    instructions: str | None = Field(default=None, max_length=100_000)


def bead_of(source: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The work item, where one was picked."""
    bead = source.get("bead")
    return bead if isinstance(bead, Mapping) else None


def title_of(source: Mapping[str, Any]) -> str:
    """What people see in lists: the work item's title, else the first line of the instructions."""
    bead = bead_of(source)
    instructions = str(source.get("instructions") or "").strip().partition("\n")[0]
    title = str(bead["title"]) if bead else instructions or str(source.get("repository") or "") or "Change"
    return " ".join(title.split())[:200]


def repository_of(source: Mapping[str, Any]) -> str:
    return str(source.get("repository") or "").strip()


def render(source: Mapping[str, Any]) -> str:
    """The work item line by line, what there is of it; then the instructions."""
    bead = bead_of(source)
    if bead is None:
        lines = ["work item: none was picked"]
    else:
        lines = [f"{label}: {bead[name]}" for name, label in LABELS.items() if bead.get(name) is not None]
        lines += ["", str(bead["description"]).strip()] if bead.get("description") else []
    lines += [f"repository: {repository_of(source)}"] if repository_of(source) else []
    lines += ["", "instructions:", str(source["instructions"]).strip()] if source.get("instructions") else []
    return "\n".join(lines)
