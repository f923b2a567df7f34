"""Reads a message defensively: the SDK hands on whatever JSON came, with fields missing or of other types."""

import json
from collections.abc import Sequence
from typing import Any

from generation.providers.base import ProviderError, Request, Usage
from generation.reading import storable

ENDINGS = ("end_turn", "stop_sequence")


def usage_of(message: Any) -> Usage:
    used = getattr(message, "usage", None)
    return Usage(
        input_tokens=_count(used, "input_tokens"),
        output_tokens=_count(used, "output_tokens"),
        cache_read_tokens=_count(used, "cache_read_input_tokens"),
        cache_write_tokens=_count(used, "cache_creation_input_tokens"),
        searches=_count(getattr(used, "server_tool_use", None), "web_search_requests"),
    )


def blocks_of(message: Any) -> list[Any]:
    """The content blocks; raises where the message lacks them, or does not say how it ended."""
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list) or not isinstance(getattr(message, "stop_reason", None), str):
        raise ProviderError("malformed", "the answer lacks content or stop_reason", retryable=True)
    return blocks


def text_of(blocks: Sequence[Any]) -> str:
    """The answer proper: the text after the last search, or all text where nothing follows it."""
    parts: list[str] = []
    everything: list[str] = []
    for block in blocks:
        kind, text = getattr(block, "type", None), getattr(block, "text", None)
        if kind == "text" and isinstance(text, str):
            parts.append(text)
            everything.append(text)
        elif kind not in ("text", "thinking", "redacted_thinking"):
            parts.clear()
    return storable("".join(parts or everything))


def check(request: Request, stop_reason: str, text: str) -> None:
    """Raises for every ending that is no whole answer, and for text that is not the JSON object asked for."""
    if stop_reason == "refusal":
        raise ProviderError("refused", "the model refused to answer", answer=text)
    if stop_reason in ("max_tokens", "model_context_window_exceeded"):
        raise ProviderError("truncated", f"the answer was cut off ({stop_reason})", answer=text)
    if stop_reason not in ENDINGS:
        raise ProviderError("malformed", f"unexpected stop reason {stop_reason!r}", retryable=True, answer=text)
    if not text.strip():
        raise ProviderError("malformed", "the answer has no text", retryable=True)
    if request.schema and not _is_object(text):
        raise ProviderError("malformed", "the answer is not one JSON object", retryable=True, answer=text)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and value > 0 else 0
