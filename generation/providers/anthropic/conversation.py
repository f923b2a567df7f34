"""One answer: tries until the deadline, goes on where the API paused, and books what every part used."""

import time
from typing import Any

import structlog
import tenacity

from generation.providers.anthropic.arguments import arguments, sent
from generation.providers.anthropic.client import client
from generation.providers.anthropic.failures import failure
from generation.providers.anthropic.reading import blocks_of, check, text_of, usage_of
from generation.providers.base import Answer, ProviderError, Request, Usage
from generation.spans import carried

log = structlog.get_logger(__name__)

MAX_PAUSES = 5  # a search that takes long is paused by the API; the answer so far is sent back to go on
CONNECT_SECONDS = 10.0
_BACKOFF = tenacity.wait_exponential_jitter(multiplier=0.25, max=8, jitter=0.25)


def converse(request: Request, *, key: str, base_url: str, retries: int) -> Answer:
    """The whole call within `request.timeout`; a ProviderError carries what was spent and what was sent."""
    deadline = time.monotonic() + request.timeout
    wanted = arguments(request)
    kept = sent(request, wanted)
    spent, blocks = Usage(), list[Any]()
    try:
        for _ in range(MAX_PAUSES + 1):
            message = _tried(wanted, key, base_url, deadline, retries)
            spent += usage_of(message)
            blocks += blocks_of(message)
            if message.stop_reason != "pause_turn":
                break
            wanted["messages"] = [*wanted["messages"], {"role": "assistant", "content": message.content}]
        else:
            raise ProviderError("truncated", f"the API paused more than {MAX_PAUSES} times")
        text = text_of(blocks)
        check(request, message.stop_reason, text)
    except ProviderError as error:
        error.usage, error.sent = spent, kept
        raise
    model = message.model if isinstance(message.model, str) else request.model
    return Answer(text=text, model=model, usage=spent, sent=kept)


def _tried(wanted: dict[str, Any], key: str, base_url: str, deadline: float, retries: int) -> Any:
    """The message of the first try that gave one.

    The SDK's own retries are off: they wait as long as the other end says, past any deadline.
    """
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_worth_another_try),
        wait=_wait,
        stop=tenacity.stop_after_attempt(retries + 1)
        | tenacity.stop_before_delay(max(deadline - time.monotonic(), 0)),
        before_sleep=_log_retry,
        reraise=True,
    )
    return attempts(_try_once, wanted, key, base_url, deadline)


def _try_once(wanted: dict[str, Any], key: str, base_url: str, deadline: float) -> Any:
    left = deadline - time.monotonic()
    if left <= 0:
        raise ProviderError("timeout", "no time left for another try", retryable=True)
    outcome = _outcome(wanted, key, base_url, left)
    if isinstance(outcome, ProviderError):
        raise outcome  # here and not in the handler below, whose exceptions hold the request with its key
    return outcome


def _outcome(wanted: dict[str, Any], key: str, base_url: str, left: float) -> Any:
    import anthropic

    timeout = anthropic.Timeout(left, connect=min(left, CONNECT_SECONDS))
    try:
        message = client(key, base_url).messages.create(**wanted, timeout=timeout, extra_headers=carried())
    except (anthropic.AnthropicError, ValueError, TypeError, RecursionError) as error:
        return failure(error, key)
    if isinstance(message, str):  # what the SDK makes of a body that is not JSON, such as a proxy's page
        return ProviderError("unreachable", "something else answered in place of the API", retryable=True)
    return message


def _worth_another_try(error: BaseException) -> bool:
    """Not where an answer came and was paid for, even a malformed one: that is for the flow to decide."""
    return isinstance(error, ProviderError) and error.retryable and error.code != "malformed"


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ProviderError) and error.retry_after is not None:
        return error.retry_after
    return _BACKOFF(state)


def _log_retry(state: tenacity.RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    log.warning("provider_retry", code=getattr(error, "code", ""), attempt=state.attempt_number)
