"""The Message Batches API: many requests at once at half the price, each answered within a day, or never."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import anthropic
import httpx2
import structlog
from anthropic.types import Message
from django.conf import settings

from generation.providers.anthropic.arguments import arguments, sent
from generation.providers.anthropic.client import client
from generation.providers.anthropic.conversation import CONNECT_SECONDS, MAX_PAUSES
from generation.providers.anthropic.failures import DETAIL_LIMIT, WORDS, failure
from generation.providers.anthropic.reading import blocks_of, check, text_of, usage_of
from generation.providers.base import Answer, Item, Paused, ProviderError, Refused, Request, Turns, Usage

log = structlog.get_logger(__name__)
T = TypeVar("T")
SECONDS = 120.0  # for each exchange as a whole; results are at most some ten megabytes
PAGE = 100  # of the list of batches

# The type of an error in a result → (code, whether the same request may succeed later); others are the API's own.
ERRORS = {
    "invalid_request_error": ("bad_request", False),
    "not_found_error": ("bad_request", False),
    "request_too_large": ("bad_request", False),
    "authentication_error": ("unauthorized", False),
    "permission_error": ("unauthorized", False),
    "billing_error": ("unauthorized", False),
    "rate_limit_error": ("rate_limited", True),
    "timeout_error": ("timeout", True),
}


class AnthropicBatches:
    def check(self, request: Request) -> None:
        arguments(request)

    def send(self, items: Sequence[Item]) -> str:
        requests: Any = [{"custom_id": item.id, "params": _params(item.request, item.turns)} for item in items]
        made = _exchange(
            lambda api, timeout: api.messages.batches.create(requests=requests, timeout=timeout), sends=True
        )
        return _name(made)

    def has_ended(self, name: str) -> bool:
        found = _exchange(lambda api, timeout: api.messages.batches.retrieve(name, timeout=timeout))
        return bool(getattr(found, "processing_status", None) == "ended")

    def cancel(self, name: str) -> None:
        _exchange(lambda api, timeout: api.messages.batches.cancel(name, timeout=timeout))

    def taken(self, begin: datetime, end: datetime) -> Iterator[tuple[str, int]]:
        """The newest come first."""
        page = _exchange(lambda api, timeout: api.messages.batches.list(limit=PAGE, timeout=timeout))
        while True:
            for batch in page.data:
                if batch.created_at < begin:
                    return
                if batch.created_at <= end:
                    yield batch.id, _requests(batch)
            if not page.data or not page.has_next_page():
                return
            page = _exchange(_after(page))

    def results(self, name: str) -> Iterator[tuple[str, Any]]:
        """A line that cannot be read is left out, as if there were none.

        The file is asked for where the API is, not at the address that the batch names: the key goes nowhere else.
        """
        path = f"/v1/messages/batches/{name}/results"
        response = _exchange(
            lambda api, timeout: api.get(path, cast_to=httpx2.Response, options={"timeout": timeout})
        )
        for line in response.iter_lines():
            try:
                found = json.loads(line)
                yield str(found["custom_id"]), found["result"]
            except (ValueError, TypeError, KeyError, RecursionError):
                if line.strip():
                    log.warning("batch_result_unreadable", batch=name)

    def read(self, request: Request, result: Any, turns: Turns = ()) -> Answer | Paused:
        kept, used = sent(request, arguments(request)), Usage()
        try:
            kind = result.get("type") if isinstance(result, Mapping) else None
            if kind != "succeeded":
                raise _unanswered(kind, result)
            raw = result.get("message")
            message = Message.construct(**raw) if isinstance(raw, dict) else None
            used = usage_of(message)
            blocks = blocks_of(message)
            if message is not None and message.stop_reason == "pause_turn":
                if len(turns) >= MAX_PAUSES:
                    raise ProviderError("truncated", f"the API paused more than {MAX_PAUSES} times")
                return Paused(raw["content"], used)
            text = text_of([*(block for turn in turns for block in _blocks(turn)), *blocks])
            check(request, str(message.stop_reason) if message else "", text)
        except ProviderError as error:
            error.usage, error.sent = used, kept
            raise
        model = message.model if message and isinstance(message.model, str) else request.model
        return Answer(text=text, model=model, usage=used, sent=kept)


def _after(page: Any) -> Callable[[anthropic.Anthropic, anthropic.Timeout], Any]:
    return lambda api, timeout: page.get_next_page()


def _requests(batch: Any) -> int:
    """How many it has: each is counted in one of the states."""
    counts = batch.request_counts
    states = (counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired)
    return sum(int(count) for count in states)


def _params(request: Request, turns: Turns) -> dict[str, Any]:
    """As `messages.create` would send it; what was answered so far stands behind the prompt."""
    wanted = arguments(request)
    wanted |= wanted.pop("extra_body", {})
    wanted["messages"] = [*wanted["messages"], *({"role": "assistant", "content": turn} for turn in turns)]
    return wanted


def _blocks(turn: list[dict[str, Any]]) -> list[Any]:
    return list(Message.construct(content=turn).content)


def _unanswered(kind: Any, result: Any) -> ProviderError:
    if kind == "errored":
        error = result.get("error") or {}
        inner = error.get("error") if isinstance(error, Mapping) else None
        said = inner if isinstance(inner, Mapping) else {}
        code, retryable = ERRORS.get(str(said.get("type")), ("overloaded", True))
        words = [WORDS[code], str(said.get("type") or ""), str(said.get("message") or "")]
        detail = ": ".join(filter(None, words)).replace(_key(), "[key]")
        return ProviderError(code, detail[:DETAIL_LIMIT], retryable=retryable)
    if kind == "expired":
        return ProviderError("timeout", "the provider's batch was over before it began with this", retryable=True)
    if kind == "canceled":
        return ProviderError("batch_cancelled", "cancelled before the provider began with it", retryable=True)
    return ProviderError("malformed", "the batch's result for this says neither answer nor error", retryable=True)


def _key() -> str:
    key: str = settings.ANTHROPIC_API_KEY.strip()
    if not key:
        raise Refused("not_configured", "ANTHROPIC_API_KEY is empty")
    return key


def _exchange(ask: "Callable[[anthropic.Anthropic, anthropic.Timeout], T]", *, sends: bool = False) -> T:
    """One exchange, within its time. sends: an error after which nothing can have been begun is Refused."""
    key = _key()
    found = _tried(ask, key, sends)
    if isinstance(found, ProviderError):
        raise found  # here and not in the handler below, whose exceptions hold the request with its key
    return found


def _tried(
    ask: "Callable[[anthropic.Anthropic, anthropic.Timeout], T]", key: str, sends: bool
) -> T | ProviderError:
    try:
        found = ask(client(key, settings.ANTHROPIC_BASE_URL), anthropic.Timeout(SECONDS, connect=CONNECT_SECONDS))
    except (anthropic.AnthropicError, ValueError, TypeError, RecursionError) as error:
        failed = failure(error, key)
        if sends and _was_refused(error):
            return Refused(failed.code, failed.detail, retryable=failed.retryable, retry_after=failed.retry_after)
        return failed
    if isinstance(found, str):  # what the SDK makes of a body that is not JSON, such as a proxy's page
        return ProviderError("unreachable", "something else answered in place of the API", retryable=True)
    return found


def _was_refused(error: Exception) -> bool:
    """Whether it is sure that nothing was begun: the API said no, or was never reached, or nothing was sent."""
    if isinstance(error, anthropic.APIStatusError):
        return error.status_code < 500 and error.status_code not in (408, 409)
    if isinstance(error, anthropic.APIConnectionError):
        return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
    return isinstance(error, UnicodeEncodeError)


def _name(made: Any) -> str:
    name = getattr(made, "id", None)
    if not isinstance(name, str) or not name:
        raise ProviderError("malformed", "the API took a batch and did not name it", retryable=True)
    return name


BATCHES = AnthropicBatches()
