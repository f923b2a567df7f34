"""What the SDK raises, as ProviderErrors: which of them may succeed later, and after how long."""

import math
import time
from email.utils import parsedate_to_datetime

import anthropic

from generation.providers.base import ProviderError

DETAIL_LIMIT = 300

# status → (code, whether the same call may succeed later)
STATUSES = {
    401: ("unauthorized", False),
    402: ("unauthorized", False),
    403: ("unauthorized", False),
    408: ("timeout", True),
    409: ("overloaded", True),
    429: ("rate_limited", True),
    502: ("unreachable", True),
    504: ("timeout", True),
}


# code → what it means, for people; the provider's own words follow
WORDS = {
    "unauthorized": "the provider does not accept our key or account",
    "timeout": "the provider took too long",
    "overloaded": "the provider is overloaded or broken",
    "rate_limited": "the provider limits how much it may be asked",
    "unreachable": "the provider cannot be reached behind its gateway",
    "bad_request": "the provider refuses the request as it is",
}


def failure(error: Exception, key: str) -> ProviderError:
    """One failed try. Its text names the cause and never the key, whoever may have echoed it."""
    if isinstance(error, anthropic.APIStatusError):
        return _status(error, key)
    if isinstance(error, anthropic.APITimeoutError):
        return ProviderError("timeout", "no whole answer in time", retryable=True)
    if isinstance(error, anthropic.APIConnectionError):
        return ProviderError("unreachable", "the connection failed or was dropped", retryable=True)
    if isinstance(error, UnicodeEncodeError):
        return ProviderError("bad_request", "the prompt holds characters that cannot be sent")
    if isinstance(error, ValueError | RecursionError):
        return ProviderError("malformed", "the answer is not valid JSON", retryable=True)
    return ProviderError("bad_request", f"the SDK refused the call: {type(error).__name__}")


def _status(error: anthropic.APIStatusError, key: str) -> ProviderError:
    status = error.status_code
    code, retryable = STATUSES.get(status, ("overloaded", True) if status >= 500 else ("bad_request", False))
    if error.response.headers.get("x-should-retry") == "false":
        retryable = False
    words = [WORDS[code], f"HTTP {status}", error.type, error.api_message]
    detail = ": ".join(word for word in words if isinstance(word, str) and word)
    return ProviderError(
        code,
        detail.replace(key, "[key]")[:DETAIL_LIMIT],
        retryable=retryable,
        retry_after=_retry_after(error.response.headers.get("retry-after", "")) if retryable else None,
    )


def _retry_after(header: str) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or a date; None where it says nothing usable."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
