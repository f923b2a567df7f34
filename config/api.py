"""The one REST API: routers of the three apps under /api/v1, errors as RFC 9457 problems."""

import json
import math
import re
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja import NinjaAPI
from ninja.parser import Parser

from config.problems import add_handlers
from generation.errors import BadInput

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

    def parse_querydict(self, data: MultiValueDict, list_fields: list[str], request: HttpRequest) -> Any:  # type: ignore[type-arg]
        values = super().parse_querydict(data, list_fields, request)
        _refuse_unstorable(values, "")
        return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _refuse_unstorable(value: Any, pointer: str) -> None:
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise BadInput.at(pointer, "A text may hold neither NUL nor half a surrogate pair.")
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadInput.at(pointer, "A number must be finite.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{pointer}/{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_unstorable(key, pointer)
            _refuse_unstorable(item, f"{pointer}/{key}")


api = NinjaAPI(title="Foldback", version="1", urls_namespace="api", parser=StrictParser())
add_handlers(api)
for _pattern in api.urls[0]:
    assert _pattern.callback
    login_not_required(_pattern.callback)  # a key lets callers in; without one they get a 401, no sign-in page
