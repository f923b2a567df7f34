"""The record of the change flow: what the agent said, and what it changed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class File(Part):
    """One file of the change."""

    path: str
    change: Literal["added", "modified", "deleted", "renamed"]
    was: str = Field(default="", description="its path before it was renamed")
    added: int | None = Field(default=None, description="lines; null where the file is binary")
    removed: int | None = Field(default=None, description="lines; null where the file is binary")

    @property
    def is_binary(self) -> bool:
        return self.added is None


class Change(Part):
    """A change to a repository, against the commit at which it began."""

    repository: str | None = None
    base: str = Field(default="", description="the commit's id")
    files: list[File] = Field(default_factory=list)
    diff: str = ""
    output: str = Field(default="", description="what the agent wrote, its two ends where it was long")
