"""The order of a record's fields: the database sorts keys, people and models read the schema's order."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

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
        ordered[name] = _ordered(value, models_in(inner))
    return ordered | {name: value for name, value in content.items() if name not in ordered}


def _ordered(value: Any, schemas: list[type[BaseModel]]) -> Any:
    if schemas and isinstance(value, Mapping):
        return in_order(value, _of_its_type(value, schemas))
    if schemas and isinstance(value, list):
        return [_ordered(part, schemas) for part in value]
    return value


def _of_its_type(value: Mapping[str, Any], schemas: list[type[BaseModel]]) -> type[BaseModel] | None:
    """Of several schemas the one whose `type` the value names; None where it names none of them."""
    if len(schemas) == 1:
        return schemas[0]
    kinds = {schema: schema.model_fields.get("type") for schema in schemas}
    return next((schema for schema, kind in kinds.items() if kind and value.get("type") in _literals(kind)), None)


def _literals(field: FieldInfo) -> tuple[Any, ...]:
    return get_args(field.annotation)


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that an annotation is, or holds: of `list[Model]` and `Model | None` it is Model."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def sourced_of(flow_name: str) -> tuple[str, ...]:
    """The values that ought to stand in the source; none where the flow is not installed any more."""
    return flow(flow_name).sourced if flow_name in FLOWS else ()


def correctable_of(flow_name: str) -> tuple[str, ...]:
    """The values that a reviewer may correct; none where the flow is not installed any more."""
    return flow(flow_name).correctable if flow_name in FLOWS else ()


def source_of(flow_name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """A run's source in the order of its flow's schema."""
    return in_order(source, flow(flow_name).source if flow_name in FLOWS else None)


def schema_of(flow_name: str) -> type[BaseModel] | None:
    """The record's schema; None where the flow is not installed any more."""
    return flow(flow_name).record if flow_name in FLOWS else None
