"""Bodies that are too large are refused while they come in: before Django, which would store all of it first."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.conf import settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
LINGER_SECONDS = 2.0  # for how long the rest is thrown away, so that the caller reads the answer and no reset


class TooLarge(Exception):
    """More came than a body may have."""


class Bounded:
    """The application, behind a bound of DATA_UPLOAD_MAX_MEMORY_SIZE bytes for each body, told or chunked."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if _told(scope) > limit:
            await _refuse(scope, receive, send)
            return
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > limit:
                raise TooLarge
            return message

        try:
            await self._application(scope, counted, send)
        except TooLarge:  # Django reads a body whole before it answers anything
            await _refuse(scope, receive, send)


def _told(scope: Scope) -> int:
    length: bytes = dict(scope["headers"]).get(b"content-length", b"")
    return int(length) if length.isdigit() else 0


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    from generation.rest.problems import API, MEDIA_TYPE, too_large  # once the apps are there

    of_api = scope["path"].startswith(API)
    problem = too_large()
    body = problem.content if of_api else json.loads(problem.content)["detail"].encode()
    kind = MEDIA_TYPE if of_api else "text/plain; charset=utf-8"
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})
