"""Examples in the OpenAPI document: made of its schemas, so that none can say what the schema does not."""

from typing import Any

Json = dict[str, Any]
ORIGIN = "https://foldback.example.org"
ID, AT = "01a2032a-ff45-7ae0-a4fc-111561810626", "2026-05-04T12:00:00Z"
# What a field of this name holds, where its schema names no example of its own.
BY_NAME: Json = {
    "title": "Nordwind ND 18",
    "name": "Nordwind ND 18",
    "slug": "cordless-drills",
    "subcategory": "cordless-drills",
    "category": "Tools",
    "institution": "main",
    "external_id": "sku-4711",
    "status": "awaiting_review",
    "outcome": "passed",
    "judge_outcome": "passed",
    "provider": "anthropic",
    "model": "claude-sonnet-5-5",
    "made_by": "extraction",
    "stage": "extraction",
    "flow": "item",
    "decision": "approve",
    "source": "person",
    "reviewer": "ada",
    "service": None,
    "person": "ada",
    "author": "ada",
    "by": "ada",
    "next_cursor": None,
    "error": None,
    "undoes": None,
    "url": f"{ORIGIN}/api/v1/…",
    "file_url": f"{ORIGIN}/api/v1/…/file",
    "web_url": f"{ORIGIN}/…",
}
SCALARS: Json = {"string": "…", "integer": 1, "number": 1.0, "boolean": True, "null": None}
FORMATS = {"uuid": ID, "date-time": AT, "date": AT[:10]}


def example(schema: Json, named: Json, *, whole: bool = False, name: str = "") -> Any:
    """A value that the schema allows: its own example where it has one, else its required fields.

    whole: all fields, as an answer has them. name: of the field that it is the schema of.
    """
    if "$ref" in schema:
        return example(named[reference(schema)], named, whole=whole, name=name)
    if "example" in schema or "examples" in schema:
        return schema["example"] if "example" in schema else schema["examples"][0]
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if whole and _known(schema, name):
        return BY_NAME[name]
    if "anyOf" in schema:
        return example(schema["anyOf"][0], named, whole=whole, name=name)
    if "allOf" in schema:
        return example(schema["allOf"][0], named, whole=whole, name=name)
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        kept = fields if whole else [field for field in schema.get("required", []) if field in fields]
        return {field: example(fields[field], named, whole=whole, name=field) for field in kept}
    if schema.get("type") == "array":
        return [example(schema["items"], named, whole=whole)] if schema.get("items") else []
    if whole and schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    return SCALARS.get(schema.get("type", ""))


def reference(schema: Json) -> str:
    """The name of the shape that a schema is, may be, or lists; empty where it names none."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    options = [*schema.get("anyOf", []), schema.get("items") or {}]
    return next((name for option in options if option and (name := reference(option))), "")


def _known(schema: Json, name: str) -> bool:
    """Whether the value by this name is of the schema's type."""
    if name not in BY_NAME:
        return False
    types = {option.get("type") for option in schema.get("anyOf", [schema])}
    return ("null" if BY_NAME[name] is None else "string") in types and "format" not in schema


def add(paths: Json, named: Json) -> None:
    """An example to every JSON answer that is no problem and has none."""
    for methods in paths.values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json")
                if content and int(status) < 300:
                    content.setdefault("example", example(content["schema"], named, whole=True))
