"""JSON as it comes in and goes out: only what PostgreSQL can hold, and times to the microsecond."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from generation.clock import told
from generation.errors import BadInput
from generation.given import refuse_unstorable


class StrictParser(Parser):
    """JSON that PostgreSQL can hold: no NUL, no half surrogate pair, no NaN, no infinity."""

    def parse_body(self, request: HttpRequest) -> Any:
        try:
            body = json.loads(request.body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise BadInput.at("", f"The body is not JSON: {error}.") from error
        refuse_unstorable(body)
        return body

    def parse_querydict(
        self, data: "MultiValueDict[str, str]", list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        values: dict[str, Any] = super().parse_querydict(data, list_fields, request)
        refuse_unstorable(values)
        return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


class Encoder(NinjaJSONEncoder):
    """Times in UTC to the microsecond: cut to milliseconds, a run would come after its own `created_at`."""

    def default(self, value: Any) -> Any:
        if isinstance(value, UUID):  # first: a batch answers a thousand
            return str(value)
        if isinstance(value, datetime):
            return told(value)
        return super().default(value)


class Renderer(JSONRenderer):
    encoder_class = Encoder
