"""The one REST API: routers of the three apps under /api/v1, errors as RFC 9457 problems."""

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, re_path
from django.utils.datastructures import MultiValueDict
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from config.docs import Docs
from config.openapi import Document
from config.problems import add_handlers, escaped, problem, unknown
from generation.errors import BadInput

DESCRIPTION = """
Make runs, follow them, review what they made, and read what learning makes of the reviews.

JSON in and out; times are UTC in ISO 8601. Lists answer `items` and `next_cursor`, and take `limit` and `cursor`.
Errors are `application/problem+json` (RFC 9457).
"""
DEEPEST = 100
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class StrictParser(Parser):
    """JSON that PostgreSQL can hold: no NUL, no half surrogate pair, no NaN, no infinity."""

    def parse_body(self, request: HttpRequest) -> Any:
        try:
            body = json.loads(request.body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise BadInput.at("", f"The body is not JSON: {error}.") from error
        _refuse_unstorable(body, "")
        return body

    def parse_querydict(
        self, data: "MultiValueDict[str, str]", list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        values: dict[str, Any] = super().parse_querydict(data, list_fields, request)
        _refuse_unstorable(values, "")
        return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _refuse_unstorable(value: Any, pointer: str, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise BadInput.at(pointer, f"Nested deeper than {DEEPEST} levels.")
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise BadInput.at(pointer, "A text may hold neither NUL nor half a surrogate pair.")
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadInput.at(pointer, "A number must be finite.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{pointer}/{index}", depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_unstorable(key, pointer)
            _refuse_unstorable(item, f"{pointer}/{escaped(str(key))}", depth + 1)


def _read_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    return csrf_exempt(require_safe(view))


class Encoder(NinjaJSONEncoder):
    """Times in UTC to the microsecond: cut to milliseconds, a run would come after its own `created_at`."""

    def default(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return super().default(value)


class Renderer(JSONRenderer):
    encoder_class = Encoder


@csrf_exempt
@login_not_required
def nothing_here(request: HttpRequest) -> HttpResponse:
    return problem(404, unknown())


class Api(NinjaAPI):
    """Ninja's API, described by our document and open to callers who have a key and no session."""

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        return Document(self, self.get_root_path(path_params or {}) if path_prefix is None else path_prefix)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Names for generated clients that do not change when a function moves to another file."""
        return operation.view_func.__name__

    def _get_urls(self) -> list[URLResolver | URLPattern]:
        found: list[URLResolver | URLPattern] = super()._get_urls()
        for pattern in found:
            assert isinstance(pattern, URLPattern)
            login_not_required(pattern.callback)  # a 401 and no sign-in page
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
api.add_router("", "generation.api.router")
api.add_router("", "review.api.router")
api.add_router("", "learning.api.router")
