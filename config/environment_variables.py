"""Reading the environment: what cannot be read is remembered for a system check and replaced by its default.

So that a slip in one variable is told in one line, and never by a traceback that shows the value.
"""

import json
import os
from collections.abc import Collection
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import environ
from environ.environ import NoValue

POSTGRES_SCHEMES = ("postgres", "postgresql", "psql", "pgsql")
FORMS = {
    int: "a whole number",
    float: "a number",
    Decimal: "a number",
    json.loads: "JSON",
    dict: "name=value, with commas between",
}
UNREADABLE = {"ENGINE": "django.db.backends.dummy", "NAME": "", "OPTIONS": {}}


class Environment(environ.Env):  # type: ignore[misc]
    """environ's reader, for which an empty variable is an unset one. `problems`: name → what is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: dict[str, str] = {}

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        given = os.environ.get(var, "")
        if not given and not isinstance(default, NoValue):
            return default
        if cast is str:
            return given  # as it stands: a secret may begin with what environ reads as a reference
        try:
            return super().get_value(var, cast, default, parse_default)
        except (ValueError, ArithmeticError, TypeError):
            self.problems[var] = f"not {FORMS.get(cast, 'of the right form')}"
            return default

    def choice(self, var: str, choices: Collection[str], default: str) -> str:
        given = self.str(var, default=default)
        if given not in choices:
            self.problems[var] = f"none of {', '.join(choices)}"
        return given if given in choices else default

    def database(self, default: str) -> dict[str, Any]:
        """DATABASES["default"] out of DATABASE_URL; a backend that refuses everything where it is unreadable."""
        url = self.str("DATABASE_URL", default="") or default
        try:
            parts = urlsplit(url)
            if parts.scheme not in POSTGRES_SCHEMES:
                raise ValueError("not PostgreSQL")
            config: dict[str, Any] = self.db_url_config(url)
        except ValueError:
            config = {}
        if not config.get("NAME"):
            self.problems["DATABASE_URL"] = "not of the form postgres://user:password@host:5432/name"
            return dict(UNREADABLE)
        return {"OPTIONS": {}, **config}
