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
    def from_pydantic(cls, error: ValidationError, below: str = "") -> "BadInput":
        """Pydantic's findings, their places as JSON pointers below `below`."""
        return cls(*problems_of(error, below))


def problems_of(error: ValidationError, below: str = "") -> Iterable[FieldProblem]:
    for found in error.errors(include_url=False, include_input=False):
        yield FieldProblem(below + pointer(found["loc"]), said(found["msg"]))


def pointer(steps: Iterable[object]) -> str:
    """A place as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def said(message: str) -> str:
    """Pydantic's words, without its own prefix to ours."""
    return message.removeprefix("Value error, ")


class Conflict(Exception):
    """The state does not allow it; the text says which state, and what is possible. REST answers 409."""
