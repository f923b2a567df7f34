"""Scope: the part of the queue that a reviewer works through, as addresses carry it from run to run."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from review.filters import Filters

BY_INDEX = frozenset({"flow", "subcategory"})  # the queue's own order has an index of each
LOOKED_FOR = BY_INDEX | {"batch", "institution", "outcome", "status", "reviewer", "after", "before", "text"}
# Lists that hold runs up for review: the others are of runs that nobody reviews now.
WORKED = ("waiting", "all")


@dataclass(frozen=True)
class Scope:
    """A list's filters, of those that wait; none is everything."""

    filters: Filters = Filters()  # noqa: RUF009 - frozen

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Scope":
        return cls.of_list(Filters.of(given)) or cls()

    @classmethod
    def of_list(cls, filters: Filters) -> "Scope | None":
        """What of a list waits; None where the list cannot be worked through from run to run.

        What is taken is free, so that "held by nobody" says nothing more.
        """
        narrows = dict(filters.set())
        if narrows.get("holder") == "nobody":
            del narrows["holder"]
        known = LOOKED_FOR if filters.view in WORKED else BY_INDEX
        return cls(Filters(**narrows)) if narrows.keys() <= known else None

    @property
    def is_everything(self) -> bool:
        return self == Scope()

    @property
    def is_looked_for(self) -> bool:
        """Whether its runs are found by more than an index in the queue's order."""
        return any(name not in BY_INDEX for name, _value in self.filters.set())

    @property
    def query(self) -> str:
        """With its question mark; empty for everything."""
        return self.query_with()

    def query_with(self, **more: str) -> str:
        said = {name: value for name, value in {**dict(self.filters.set()), **more}.items() if value}
        return "?" + urlencode(said) if said else ""

    def address(self, run_id: UUID, **more: str) -> str:
        """The page of a run within this scope."""
        return reverse("run", args=[run_id]) + self.query_with(**more)
