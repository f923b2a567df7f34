"""What a provider is: it answers one request, or raises one error with a decision in it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pydantic import BaseModel

from generation.reading import storable

BROAD_SEARCHES = 5  # at most, where the model chooses its queries itself


@dataclass(frozen=True)
class Search:
    """Web search of one call: broad search by the model, and queries that the caller gave."""

    broad: bool = False
    queries: tuple[str, ...] = ()

    @property
    def wanted(self) -> bool:
        return self.broad or bool(self.queries)

    @property
    def uses(self) -> int:
        """How many searches the call may make; with given queries alone, as many as there are queries."""
        return len(self.queries) + (BROAD_SEARCHES if self.broad else 0)


@dataclass(frozen=True)
class Workspace:
    """Where an agent program works. path: of a registered repository, "" for an empty one of its own.

    base: the commit to begin at, "" the newest of `branch`; patch: what was changed so far (`Changes.patch`);
    keeps: whether what the agent changes is the answer, too.
    """

    path: str = ""
    branch: str = ""
    base: str = ""
    patch: str = ""
    keeps: bool = True


def always() -> None:
    """Still wanted."""


@dataclass(frozen=True)
class Request:
    """One prompt, filled: `stable` is the part of the user prompt that other runs share (cached)."""

    flow: str
    stage: str
    system: str
    stable: str
    volatile: str
    model: str
    schema: type[BaseModel] | None = None  # the answer is one JSON object of this shape
    search: Search = Search()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    deterministic: bool = False  # with as little chance in it as the model allows, unless the parameters speak
    timeout: float = 120.0  # seconds, for the whole call with its retries
    role: str = ""  # of an agent program: it ends its argv
    workspace: Workspace | None = None
    still_wanted: Callable[[], None] = always  # raises where nobody waits for the answer any more

    @property
    def user(self) -> str:
        return self.stable + self.volatile


@dataclass(frozen=True)
class Usage:
    """Tokens of one call. input_tokens counts neither cache reads nor cache writes, as the API does."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    searches: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.searches + other.searches,
        )


@dataclass(frozen=True)
class Answer:
    """What came back: the text (JSON where a schema was asked for) and what it used."""

    text: str
    model: str
    usage: Usage = Usage()
    sent: Mapping[str, Any] = field(default_factory=dict)  # the request as sent, without prompts and keys


class ProviderError(Exception):
    """A call that gave no usable answer.

    code: timeout, unreachable, rate_limited, overloaded, refused, truncated, malformed, unauthorized,
    bad_request, spend_cap, not_configured; of a batch also batch_cancelled; of an agent program also
    agent_failed, no_worktree, change_too_large. retryable: whether the same call may succeed later;
    retry_after: seconds to wait, where the other end said so. usage: what was spent all the same.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        usage: Usage | None = None,
        answer: str = "",
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        self.code, self.retryable, self.retry_after = code, retryable, retry_after
        self.detail = storable(detail)  # the other end's words go into runs, calls and judgements
        self.usage, self.answer, self.sent = usage or Usage(), answer, sent or {}
        super().__init__(f"{code}: {self.detail}")


@dataclass(frozen=True)
class Paused:
    """An answer that the provider broke off, to be asked for again with `turn`, its content so far, behind it."""

    turn: list[dict[str, Any]]
    usage: Usage


Turns = Sequence[list[dict[str, Any]]]


@dataclass(frozen=True)
class Item:
    """One request of many that are sent together. turns: what was answered of it so far."""

    id: str
    request: Request
    turns: Turns = ()


class Refused(ProviderError):
    """Nothing was taken, surely: what was sent can be sent again, and is not paid for twice."""


class Batches(Protocol):
    """A provider's batch interface: many requests at once, their answers hours later.

    Every method raises ProviderError. `send` raises Refused where it is sure that nothing was begun; after any
    other error what it sent may be under way all the same, under a name that nobody knows.
    """

    def check(self, request: Request) -> None:
        """Raises the ProviderError of a request that cannot be sent."""

    def send(self, items: Sequence[Item]) -> str:
        """The provider's name for what it took."""
        ...

    def has_ended(self, name: str) -> bool: ...

    def cancel(self, name: str) -> None:
        """What was not begun; the rest is answered."""

    def taken(self, begin: datetime, end: datetime) -> Iterator[tuple[str, int]]:
        """Names of all that was taken in this time, each with how many requests it has."""
        ...

    def results(self, name: str) -> Iterator[tuple[str, Any]]:
        """Of one that has ended: each item's id and what is to be given to `read`, in any order."""
        ...

    def read(self, request: Request, result: Any, turns: Turns = ()) -> Answer | Paused:
        """The whole answer, with the usage of this result alone. Raises the ProviderError of one that failed."""
        ...


class Provider(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str:
        """As pages show it, in the reader's language; the demo's says that it is not an AI."""
        ...

    def answer(self, request: Request) -> Answer:
        """One answer. Raises ProviderError; never returns an empty text."""
        ...
