"""HEAD, wherever there is GET: the same answer without its body, which the server leaves away."""

from collections.abc import AsyncIterator, Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase


def with_head(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Asks the view for GET, and begins no stream. Where it takes no GET it takes no HEAD."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        head = request.method == "HEAD"
        if head:
            request.method = "GET"
        response = view(request, *args, **kwargs)
        if head:
            request.method = "HEAD"
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = _nothing() if response.is_async else ()
        allowed = response.get("Allow", "").split(", ")
        if "GET" in allowed and "HEAD" not in allowed:
            response["Allow"] = ", ".join([*allowed, "HEAD"])
        return response

    return asked


async def _nothing() -> AsyncIterator[bytes]:
    parts: tuple[bytes, ...] = ()
    for part in parts:
        yield part
