"""A span for each statement to the database within traced work: its text with placeholders, no values."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from generation import spans

LONGEST = 2000  # characters of a statement


def watch_statements(sender: type, connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Django's hook for what a new connection shall do; ours stays with it."""
    if told not in connection.execute_wrappers:
        connection.execute_wrappers.append(told)


def told(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Values are bound after this, so none is in the text."""
    if spans.current() is None:
        return execute(sql, params, many, context)
    text = sql if isinstance(sql, str) else ""
    verb = (text.split(maxsplit=1) or ["statement"])[0].upper()
    attributes = {
        "db.system.name": "postgresql",
        "db.operation.name": verb,
        "db.query.text": text[:LONGEST],
    }
    with spans.span(verb, attributes, kind="client"):
        return execute(sql, params, many, context)
