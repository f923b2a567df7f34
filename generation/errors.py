"""The refusals that callers see, each carrying what they need to mend it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext as _
from pydantic import ValidationError

MOST_TOLD = 20  # bad fields that one refusal names
LONGEST_ECHO = 100  # characters of what a caller sent, as a refusal repeats it
LONGEST_POINTER, LONGEST_DETAIL = 300, 500
LONG_STEP = re.compile(f"[^/]{{{LONGEST_ECHO + 1},}}")


@dataclass(frozen=True)
class FieldProblem:
    """One bad field: a JSON pointer to it (RFC 6901), and what would be right."""

    pointer: str
    detail: str


class BadInput(Exception):
    """What was given cannot be taken; nothing was written. REST answers 422."""

    def __init__(self, *problems: FieldProblem) -> None:
        self.problems = problems
        told = [f"{p.pointer}: {p.detail}" if p.pointer else p.detail for p in self.told()]
        more = len(problems) - len(told)
        super().__init__("; ".join([*told, f"and {more} more"] if more else told))

    @property
    def summary(self) -> str:
        """What is wrong, for people: the one thing, or how many fields."""
        told, count = self.told(), len(self.problems)
        if count == 1:
            return told[0].detail
        if count == len(told):
            return _("{n} fields are not right.").format(n=count)
        words = _("{n} fields are not right: the first {told} are named, and {more} more.")
        return words.format(n=count, told=len(told), more=count - len(told))

    def told(self, below: str = "") -> list[FieldProblem]:
        """The first of the problems, cut to what callers are sent, their places below `below`."""
        return [
            FieldProblem(
                cut(
                    LONG_STEP.sub(lambda step: cut(step[0], LONGEST_ECHO), below + found.pointer), LONGEST_POINTER
                ),
                cut(str(found.detail), LONGEST_DETAIL),
            )
            for found in self.problems[:MOST_TOLD]
        ]

    @classmethod
    def at(cls, pointer: str, detail: str) -> "BadInput":
        return cls(FieldProblem(pointer, detail))

    @classmethod
    def from_pydantic(cls, error: ValidationError, below: str = "", known: Iterable[str] = ()) -> "BadInput":
        """Pydantic's findings, their places as JSON pointers below `below`; `known`: the names taken there."""
        return cls(*problems_of(error, below, known))


class Problems(list[FieldProblem]):
    """What is wrong so far: collected, so that a caller is told all of it at once."""

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """What is refused inside is added, and no more of it done."""
        try:
            yield
        except BadInput as error:
            self.extend(error.problems)

    @contextmanager
    def told(self, pointer: str) -> Iterator[None]:
        """A ValueError inside is what is wrong with the field there."""
        try:
            yield
        except ValueError as error:
            self.append(FieldProblem(pointer, str(error)))

    def refuse(self) -> None:
        """BadInput where anything is wrong."""
        if self:
            raise BadInput(*self)


def problems_of(error: ValidationError, below: str = "", known: Iterable[str] = ()) -> Iterable[FieldProblem]:
    for found in error.errors(include_url=False, include_input=False):
        detail = said(found["msg"])
        if found["type"] == "extra_forbidden" and len(found["loc"]) == 1 and known:
            detail = f"{detail}; known: {', '.join(known)}"
        yield FieldProblem(below + pointer(found["loc"]), detail)


def pointer(steps: Iterable[object]) -> str:
    """A place as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(text: str) -> str:
    """What a caller sent, as a refusal repeats it: quoted, and no more of it than tells which it was."""
    return repr(cut(text, LONGEST_ECHO))


def said(message: str) -> str:
    """Pydantic's words where a caller understands them, else ours."""
    if message.startswith("Input should be a valid dictionary"):
        return "Input should be an object"  # its own words name a class
    return (
        "unknown field" if message == "Extra inputs are not permitted" else message.removeprefix("Value error, ")
    )


class Conflict(Exception):
    """The state does not allow it; the text says which state, and what is possible. REST answers 409."""
