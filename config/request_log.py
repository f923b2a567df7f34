"""One log line per request: its method and path. A query may hold a title or a name that was searched for."""

from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware


class RequestLog(RequestMiddleware):
    """django-structlog's middleware, without the query."""

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return f"{request.method} {request.path}"
