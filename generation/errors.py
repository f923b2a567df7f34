"""The refusals that callers see, each carrying what they need to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError


@dataclass(frozen=True)
class FieldProblem:
    """One bad field: a JSON pointer to it (RFC 6901), and what would be right."""

    pointer: str
    detail: str


class BadInput(Exception):
    """What was given cannot be taken; nothing was written. REST answers 422."""

    def __init__(self, *problems: FieldProblem) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{p.pointer}: {p.detail}" for p in problems))

    @classmethod
    def at(cls, pointer: str, detail: str) -> "BadInput":
        return cls(FieldProblem(pointer, detail))

    @classmethod
    def from_pydantic(cls, error: ValidationError, below: str = "", known: Iterable[str] = ()) -> "BadInput":
        """Pydantic's findings, their places as JSON pointers below `below`; `known`: the names taken there."""
        return cls(*problems_of(error, below, known))


def problems_of(error: ValidationError, below: str = "", known: Iterable[str] = ()) -> Iterable[FieldProblem]:
    for found in error.errors(include_url=False, include_input=False):
        detail = said(found["msg"])
        if found["type"] == "extra_forbidden" and len(found["loc"]) == 1 and known:
            detail = f"{detail}; known: {', '.join(known)}"
        yield FieldProblem(below + pointer(found["loc"]), detail)


def pointer(steps: Iterable[object]) -> str:
    """A place as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def said(message: str) -> str:
    """Pydantic's words where a caller understands them, else ours."""
    if message.startswith("Input should be a valid dictionary"):
        return "Input should be an object"  # its own words name a class
    return (
        "unknown field" if message == "Extra inputs are not permitted" else message.removeprefix("Value error, ")
    )


class Conflict(Exception):
    """The state does not allow it; the text says which state, and what is possible. REST answers 409."""
