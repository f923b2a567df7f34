"""A span around each request: its method, route and answer. No address, no query, no header, nobody's name."""

from collections.abc import Awaitable, Callable

from django.urls import Resolver404, ResolverMatch, resolve

from config.bounded import Application, Message, Receive, Scope, Send
from generation import spans
from generation.spans import Attributes, Span

UNTOLD = ("/healthz", "/readyz", "/metrics", "/static/")
W3C = (b"traceparent", b"tracestate")
ENDLESS = b"text/event-stream"  # its span ends as it begins to stream: else hours would stand among milliseconds


class Traced:
    """The application, each request in the trace that its caller began, or in a new one."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(UNTOLD):
            await self._application(scope, receive, send)
            return
        came = {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in W3C}
        route, attributes = _told(scope)
        name = f"{scope['method']} {route}".rstrip()
        with spans.span(name, attributes, kind="server", parent=came) as span:
            await self._application(scope, receive, _answering(span, send))


def _answering(span: Span, send: Send) -> Callable[[Message], Awaitable[None]]:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            status: int = message["status"]
            span.set({"http.response.status_code": status})
            if status >= 500:
                span.fail(str(status))
            if any(name.lower() == b"content-type" and ENDLESS in value for name, value in message["headers"]):
                span.end()
        await send(message)

    return told


def _told(scope: Scope) -> tuple[str, Attributes]:
    """The route by which Django finds the view, and what may be told of the request."""
    found = _match(scope["path"])
    told = {"http.request.method": scope["method"], "url.scheme": scope.get("scheme", "http")}
    if found is None:
        return "", told
    route = f"/{found.route}"
    if run_id := found.kwargs.get("run_id"):
        told["foldback.run.id"] = str(run_id)
    return route, {**told, "http.route": route}


def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None
