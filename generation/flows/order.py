"""The order of a record's fields: the database sorts keys, people and models read the schema's order."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from generation.flows import FLOWS, flow


def in_order(content: Mapping[str, Any], schema: type[BaseModel] | None) -> dict[str, Any]:
    """The schema's fields first, null where the record leaves one out; then what the schema does not know."""
    if schema is None:
        return dict(content)
    ordered: dict[str, Any] = {}
    for name, known in schema.model_fields.items():
        value, inner = content.get(name), known.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and isinstance(value, Mapping | None):
            value = in_order(value or {}, inner)
        ordered[name] = value
    return ordered | {name: value for name, value in content.items() if name not in ordered}


def schema_of(flow_name: str) -> type[BaseModel] | None:
    """The record's schema; None where the flow is not installed any more."""
    return flow(flow_name).record if flow_name in FLOWS else None
