"""What an item is made from: a title or a text, and what helps to find more."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(default=None, max_length=1000)
    text: str | None = Field(default=None, max_length=200_000)
    url: str | None = Field(default=None, max_length=2000)
    search_queries: list[Query] = Field(default_factory=list, max_length=10)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.title or "").strip() and not (self.text or "").strip():
            raise ValueError("a title or a text is needed")
        return self


def title_of(source: Mapping[str, Any]) -> str:
    """What people see in lists: the title, else the text's first line."""
    title = str(source.get("title") or "").strip() or str(source.get("text") or "").strip().partition("\n")[0]
    return " ".join(title.split())[:200]


def search_queries(source: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(source.get("search_queries") or ())


def render(source: Mapping[str, Any]) -> str:
    """Title first, then the text, then what else there is, a line each."""
    lines = [source.get("title"), source.get("text")]
    if source.get("url"):
        lines.append(f"url: {source['url']}")
    lines += [f"query: {query}" for query in search_queries(source)]
    return "\n".join(str(line).strip() for line in lines if line)
