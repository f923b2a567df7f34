"""The order of a record's fields: the database sorts keys, people and models read the schema's order."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel

from generation.flows import FLOWS, flow


def in_order(content: Mapping[str, Any], schema: type[BaseModel] | None) -> dict[str, Any]:
    """The schema's fields first, null where the record leaves one out; then what the schema does not know."""
    if schema is None:
        return dict(content)
    ordered: dict[str, Any] = {}
    for name, known in schema.model_fields.items():
        value, inner = content.get(name), known.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and value is None:
            value = {}
        ordered[name] = _ordered(value, _model_in(inner))
    return ordered | {name: value for name, value in content.items() if name not in ordered}


def _ordered(value: Any, schema: type[BaseModel] | None) -> Any:
    if schema is not None and isinstance(value, Mapping):
        return in_order(value, schema)
    if schema is not None and isinstance(value, list):
        return [_ordered(part, schema) for part in value]
    return value


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation is, or holds: of `list[Model]` and `Model | None` it is Model."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)


def sourced_of(flow_name: str) -> tuple[str, ...]:
    """The values that ought to stand in the source; none where the flow is not installed any more."""
    return flow(flow_name).sourced if flow_name in FLOWS else ()


def schema_of(flow_name: str) -> type[BaseModel] | None:
    """The record's schema; None where the flow is not installed any more."""
    return flow(flow_name).record if flow_name in FLOWS else None
