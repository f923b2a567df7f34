"""The SDK's client, with a deadline over the whole response and without retries of its own."""

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import anthropic
import httpx2


class _UntilDeadline(httpx2.SyncByteStream):
    """A body that must be whole by the deadline. A read time-out alone begins anew with every byte."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer came too slowly")
            yield chunk

    def close(self) -> None:
        self._stream.close()


class DeadlineClient(anthropic.DefaultHttpxClient):
    """Takes a request's read time-out as the limit of the whole response, a slow drip included."""

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        limit = request.extensions["timeout"]["read"]
        deadline = time.monotonic() + limit
        response = super().send(request, stream=True, **options)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _UntilDeadline(response.stream, deadline)
        if not stream:
            try:
                response.read()
            except BaseException:
                response.close()
                raise
        return response


@lru_cache(maxsize=4)
def client(key: str, base_url: str) -> anthropic.Anthropic:
    """One client, and so one pool of connections, per key and address.

    Redirects are not followed: a key goes to the configured address and nowhere else.
    """
    return anthropic.Anthropic(
        api_key=key, base_url=base_url, max_retries=0, http_client=DeadlineClient(follow_redirects=False)
    )
