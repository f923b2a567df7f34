"""The one REST API: routers of the three apps under /api/v1, errors as RFC 9457 problems."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from config.docs import Docs
from config.openapi import Document
from config.wire import Renderer, StrictParser
from generation.rest.conditional import conditional
from generation.rest.heads import with_head
from generation.rest.problems import add_handlers, problem, unknown
from generation.rest.queries import known_alone, too_many

DESCRIPTION = """
Make runs, follow them, review what they made, and read what learning makes of the reviews.

JSON in and out; times are UTC in ISO 8601. Lists answer `items` and `next_cursor`, and take `limit` and `cursor`.
Errors are `application/problem+json` (RFC 9457).
"""


def _read_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    return csrf_exempt(require_safe(view))


@csrf_exempt
@login_not_required
def nothing_here(request: HttpRequest) -> HttpResponse:
    return problem(404, unknown())


class Api(NinjaAPI):
    """Ninja's API, described by our document and open to callers who have a key and no session."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._documents: dict[str, OpenAPISchema] = {}

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Made once: it is the same for everybody, and takes seconds on a busy machine."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._documents:
            self._documents[prefix] = Document(self, prefix)
        return self._documents[prefix]

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Names for generated clients that do not change when a function moves to another file."""
        return operation.view_func.__name__

    def create_response(
        self,
        request: HttpRequest,
        data: Any,
        *,
        status: int | None = None,
        temporal_response: HttpResponse | None = None,
    ) -> HttpResponse:
        """With an ETag where it is a read; 304 where the caller has it."""
        return conditional(
            request, super().create_response(request, data, status=status, temporal_response=temporal_response)
        )

    def _get_urls(self) -> list[URLResolver | URLPattern]:
        found: list[URLResolver | URLPattern] = super()._get_urls()
        for pattern in found:
            assert isinstance(pattern, URLPattern)
            pattern.callback = with_head(login_not_required(pattern.callback))  # a 401 and no sign-in page
        return [*found[:-1], re_path("", nothing_here), found[-1]]  # the last one, the root, is there for its name


api = Api(
    title="Foldback",
    version="1",
    description=DESCRIPTION.strip(),
    urls_namespace="api",
    parser=StrictParser(),
    renderer=Renderer(),
    docs=Docs(),
    docs_decorator=_read_only,
)
add_handlers(api)
api.add_exception_handler(TooManyFieldsSent, too_many)
api.add_decorator(known_alone)
api.add_router("", "generation.api.router")
api.add_router("", "review.api.router")
api.add_router("", "learning.api.router")
