"""How tests call the REST API: real HTTP through Django's client, with a key."""

import json
import re
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from config.api import api
from generation.access import make_key
from generation.models import SCOPES, ApiKey


class Caller:
    """One key in use. `scopes` default to all of them, `user` to none: a service."""

    def __init__(self, *scopes: str, user: User | None = None) -> None:
        self.key: ApiKey
        self.key, self.secret = make_key("test", user=user, scopes=scopes or SCOPES)
        self.client = Client(headers={"Authorization": f"Bearer {self.secret}"})

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """`path` below /api/v1; header names with `_` for `-`."""
        data = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return documented(
            method, self.client.generic(method, f"/api/v1{path}", data, "application/json", headers=named)
        )

    def get(self, path: str, **query: Any) -> Any:
        return documented("GET", self.client.get(f"/api/v1{path}", query))


def documented(method: str, response: Any) -> Any:
    """The response, which the published document knows: no call answers what is not told of it."""
    match = getattr(response, "resolver_match", None)  # none where nothing was asked for yet
    route = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route) if match else ""
    told = statuses().get((method, f"/{route}"))
    assert told is None or response.status_code in told, f"{method} {route}: {response.status_code} of {told}"
    return response


@cache
def statuses() -> dict[tuple[str, str], set[int]]:
    """What the document says that each call answers."""
    paths = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    return {
        (method.upper(), path): {int(status) for status in operation["responses"]}
        for path, operations in paths.items()
        for method, operation in operations.items()
    }


def pointers(response: Any) -> list[str]:
    """Which fields a problem names."""
    return [field["pointer"] for field in response.json()["errors"]]
