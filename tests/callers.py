"""How tests call the REST API: real HTTP through Django's client, with a key."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

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
        return self.client.generic(method, f"/api/v1{path}", data, "application/json", headers=named)

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v1{path}", query)


def pointers(response: Any) -> list[str]:
    """Which fields a problem names."""
    return [field["pointer"] for field in response.json()["errors"]]
