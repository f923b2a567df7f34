"""Spans: the one seam through which work is traced. Where nobody traces nothing is loaded and nothing is kept.

What spans tell leaves the house: ids, names that we gave, counts, kinds of errors; no text that somebody wrote.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal, Protocol

Kind = Literal["internal", "server", "client", "producer", "consumer"]
Attributes = Mapping[str, str | int | float | bool]


class Span(Protocol):
    def set(self, attributes: Attributes) -> None: ...

    def fail(self, kind: str) -> None:
        """It went wrong; `kind` names the error, in no words of its own."""

    def end(self) -> None:
        """Over before its block is."""


class Tracing(Protocol):
    """Who keeps spans (config/telemetry/tracing.py)."""

    def span(
        self, name: str, attributes: Attributes, kind: Kind, parent: Mapping[str, str] | None
    ) -> AbstractContextManager[Span]: ...

    def current(self) -> Span | None:
        """The span that this is in, where one is kept."""
        ...

    def carried(self) -> dict[str, str]:
        """The current trace as headers of W3C Trace Context."""
        ...


class Nothing:
    """A span that nobody keeps."""

    def set(self, attributes: Attributes) -> None: ...

    def fail(self, kind: str) -> None: ...

    def end(self) -> None: ...


NOTHING = Nothing()
_tracing: Tracing | None = None


def trace_with(tracing: Tracing | None) -> None:
    """From now on, in this process; None: no more."""
    global _tracing
    _tracing = tracing


def span(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: Kind = "internal",
    parent: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """A span around a block, below the current one, or below that of `parent`'s headers. An error fails it."""
    if _tracing is None:
        return nullcontext(NOTHING)
    return _tracing.span(name, attributes or {}, kind, parent)


@contextmanager
def within(name: str, attributes: Attributes, *, kind: Kind) -> Iterator[Span]:
    """As `span`, where it would be below another one; else none."""
    if current() is None:
        yield NOTHING
        return
    with span(name, attributes, kind=kind) as found:
        yield found


def current() -> Span | None:
    return _tracing.current() if _tracing else None


def mark(attributes: Attributes) -> None:
    """Tell more of the span that this is in, where there is one."""
    if found := current():
        found.set(attributes)


def carried() -> dict[str, str]:
    """What to send along, so that the other end goes on with this trace; empty where there is none."""
    return _tracing.carried() if _tracing else {}
