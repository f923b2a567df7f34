"""Scope: the part of the queue that a reviewer works through, as addresses carry it from run to run."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from generation.reading import storable


@dataclass(frozen=True)
class Scope:
    """Empty is everything."""

    flow: str = ""
    subcategory: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Scope":
        return cls(storable(given.get("flow", "")[:40]), storable(given.get("subcategory", "")[:100]))

    @property
    def is_everything(self) -> bool:
        return self == Scope()

    @property
    def query(self) -> str:
        """With its question mark; empty for everything."""
        return self.query_with()

    def query_with(self, **more: str) -> str:
        said = {name: value for name, value in {**vars(self), **more}.items() if value}
        return "?" + urlencode(said) if said else ""

    def address(self, run_id: UUID, **more: str) -> str:
        """The page of a run within this scope."""
        return reverse("run", args=[run_id]) + self.query_with(**more)
