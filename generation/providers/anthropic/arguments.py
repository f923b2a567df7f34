"""A request as the arguments of `messages.create`, and what of it is kept beside the prompts."""

import re
from collections.abc import Mapping
from typing import Any

import anthropic
from pydantic import BaseModel

from generation.providers.base import ProviderError, Request, Search

DEFAULT_MAX_TOKENS = 8192
SEARCH_TOOL = "web_search_20250305"  # the version that every model and gateway takes; later ones run code
EFFORTS = ("low", "medium", "high", "xhigh", "max")
PARAMETERS = ("max_tokens", "effort", "thinking", "temperature")
# Later models refuse a temperature, these refuse an effort. The name may have a gateway's or a region's in front.
TAKES_TEMPERATURE = re.compile(
    r"(?:^|[./])claude-(?:[123][.-]|(?:opus|sonnet|haiku)-4(?:[.-][0-6])?(?!\d|[.-]\d{1,2}(?!\d)))"
)
OTHER_CLAUDE = re.compile(r"(?:^|[./])claude-")


def arguments(request: Request) -> dict[str, Any]:
    """Arguments in the SDK's shape. The prompt's stable parts carry the cache marks, the volatile part follows."""
    unknown = sorted(set(request.parameters) - set(PARAMETERS))
    if unknown:
        raise ProviderError(
            "bad_request", f"unknown parameters: {', '.join(unknown)}; known: {', '.join(PARAMETERS)}"
        )
    parameters = _parameters(request)
    wanted: dict[str, Any] = {
        "model": request.model,
        "max_tokens": _max_tokens(request),
        "messages": [{"role": "user", "content": _user_blocks(request)}],
    }
    if request.system.strip():
        wanted["system"] = [_cached(request.system)]
    if request.search.wanted:
        wanted["tools"] = [_search_tool(request.search)]
    if output := _output_config(request, parameters):
        wanted["output_config"] = output
    if thinking := parameters.get("thinking"):
        wanted["thinking"] = {"type": thinking} if isinstance(thinking, str) else thinking
    if "temperature" in parameters:
        # No parameter of the SDK any more: for those models and gateways that still take it.
        wanted["extra_body"] = {"temperature": parameters["temperature"]}
    return wanted


def sent(request: Request, wanted: dict[str, Any]) -> dict[str, Any]:
    """What goes into the record of the call: everything but the prompts, which are kept beside it, and the key."""
    kept: dict[str, Any] = {name: wanted[name] for name in ("model", "max_tokens", "thinking") if name in wanted}
    kept["tools"] = wanted.get("tools", [])
    kept["schema"] = request.schema.__name__ if request.schema else None
    kept["effort"] = _parameters(request).get("effort")
    kept.update(wanted.get("extra_body", {}))
    return kept


def _parameters(request: Request) -> Mapping[str, Any]:
    """The version's parameters; of a deterministic request whose version leaves chance open, with the least of it:
    temperature 0 where the model takes one, else the lowest effort. A model that we do not know gets neither.
    """
    given = request.parameters
    if not request.deterministic or {"temperature", "effort", "thinking"} & set(given):
        return given
    if TAKES_TEMPERATURE.search(request.model):
        return {**given, "temperature": 0}
    return {**given, "effort": EFFORTS[0]} if OTHER_CLAUDE.search(request.model) else given


def _max_tokens(request: Request) -> int:
    value = request.parameters.get("max_tokens", DEFAULT_MAX_TOKENS)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ProviderError("bad_request", "max_tokens must be a whole number from 1")
    return value


def _user_blocks(request: Request) -> list[dict[str, Any]]:
    """The API refuses blank blocks, so a blank part joins its neighbour."""
    if not request.user.strip():
        raise ProviderError("bad_request", "the user prompt is empty")
    if not request.stable.strip():
        return [{"type": "text", "text": request.user}]
    if not request.volatile.strip():
        return [_cached(request.user)]
    return [_cached(request.stable), {"type": "text", "text": request.volatile}]


def _cached(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _search_tool(search: Search) -> dict[str, Any]:
    """The provider's own tool; which queries were given, the prompt says."""
    return {"type": SEARCH_TOOL, "name": "web_search", "max_uses": search.uses}


def _output_config(request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if effort := parameters.get("effort"):
        if effort not in EFFORTS:
            raise ProviderError("bad_request", f"effort must be one of {', '.join(EFFORTS)}")
        config["effort"] = effort
    if request.schema:
        config["format"] = _json_format(request.schema)
    return config


def _json_format(schema: type[BaseModel]) -> dict[str, Any]:
    return {"type": "json_schema", "schema": anthropic.transform_schema(schema)}
