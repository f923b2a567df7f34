"""JSON as it comes in and goes out: only what PostgreSQL can hold, and times to the microsecond."""

import json
import math
import re
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from generation.errors import BadInput
from generation.rest.problems import escaped

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


class Encoder(NinjaJSONEncoder):
    """Times in UTC to the microsecond: cut to milliseconds, a run would come after its own `created_at`."""

    def default(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return super().default(value)


class Renderer(JSONRenderer):
    encoder_class = Encoder
