"""Tracebacks for logs: where it broke and what kind of error it was, never its words, which may quote a record."""

import sys
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any


def without_words(logger: Any, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor that takes the place of `format_exc_info`.

    A database's error quotes the row that it refused, a validation error what it was given.
    """
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if not isinstance(error, BaseException):
        error = event.get("exception")  # as django-structlog hands on the error of a task
    if isinstance(error, BaseException):
        if event.get("error") == str(error):
            event["error"] = type(error).__name__
        event["exception"] = "\n\nThen:\n".join(_one(part) for part in reversed(list(_chain(error))))
    return event


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on; each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _one(error: BaseException) -> str:
    frames = "".join(traceback.format_tb(error.__traceback__))
    kind = type(error)
    return f"{frames}{kind.__module__}.{kind.__qualname__}"
