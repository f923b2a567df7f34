"""The log's line per request names the path alone: a query may hold what was typed, or the code of a sign-in."""

from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware


class PathLog(RequestMiddleware):
    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return f"{request.method} {request.path}"
