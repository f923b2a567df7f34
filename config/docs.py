"""The page /api/v1/docs, drawn on the server from the OpenAPI document: no script, nothing from elsewhere."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from config.examples import ORIGIN, Json, example, reference
from generation.rest.problems import MEDIA_TYPE

HUGE = 2**31  # a bound from here on is the database's, and tells readers nothing


@dataclass(frozen=True)
class Field:
    """A line of a table: a parameter, or a field of a shape."""

    name: str
    kind: str
    shape: str  # the named shape that it holds, to link to
    required: bool
    place: str
    description: SafeString


@dataclass(frozen=True)
class Answer:
    status: int
    description: SafeString
    shape: str
    is_problem: bool


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    scope: str
    parameters: list[Field]
    body: str  # the shape's name
    answers: list[Answer]
    answer: str  # an example of it, where it is JSON
    curl: str


@dataclass(frozen=True)
class Event:
    """A message that we send."""

    id: str
    name: str
    summary: str
    data: str  # the shape's name
    message: str  # an example


@dataclass(frozen=True)
class Shape:
    name: str
    description: SafeString
    fields: list[Field]


@dataclass(frozen=True)
class Page:
    title: str
    description: SafeString
    groups: dict[str, list[Operation]]
    events: list[Event]
    event_headers: list[Field]
    event_answers: dict[str, SafeString]
    shapes: list[Shape]
    problems: list[Answer]


class Docs(DocsBase):
    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        document = api.get_openapi_schema(path_params=kwargs)
        return render(request, "api/docs.html", {"page": read(document, request.build_absolute_uri("/")[:-1])})


def read(document: Json, origin: str) -> Page:
    """What the page shows of an OpenAPI document; `origin` goes into the examples."""
    named: Json = document["components"]["schemas"]
    groups: dict[str, list[Operation]] = {}
    problems: dict[int, Answer] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found = _operation(origin, path, method.upper(), operation, named)
            groups.setdefault(operation["tags"][0], []).append(found)
            problems |= {answer.status: answer for answer in found.answers if answer.is_problem}
    shown = {name: schema for name, schema in named.items() if schema.get("properties")}
    used = _used([*document["paths"].values(), *document["webhooks"].values()], shown)
    sent = next(iter(document["webhooks"].values()))["post"]  # headers and answers are alike for all
    return Page(
        title=document["info"]["title"],
        description=_marked(document["info"]["description"]),
        groups=groups,
        events=[_event(origin, name, found["post"], named) for name, found in document["webhooks"].items()],
        event_headers=[
            _field(one["name"], one["schema"] | {"description": one["description"]}, named, True)
            for one in sent["parameters"]
        ],
        event_answers={status: _marked(one["description"]) for status, one in sent["responses"].items()},
        shapes=[_shape(name, shown[name], named) for name in sorted(used)],
        problems=[problems[status] for status in sorted(problems)],
    )


def _operation(origin: str, path: str, method: str, operation: Json, named: Json) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    return Operation(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        description=_marked(operation.get("description", "")),
        scope=operation["security"][0]["ApiKey"][0],
        parameters=[
            _field(found["name"], found["schema"], named, found["required"], found["in"])
            for found in operation["parameters"]
        ],
        body=reference(body) if body else "",
        answers=[_answer(int(status), found) for status, found in sorted(operation["responses"].items())],
        answer=next((_drawn(shown, origin) for shown in _examples(operation)), ""),
        curl=_curl(origin + path, method, example(body, named) if body else None),
    )


def _examples(operation: Json) -> Iterator[Any]:
    """What the document gives as examples of JSON answers."""
    for answer in operation["responses"].values():
        content = answer.get("content", {}).get("application/json", {})
        if "example" in content:
            yield content["example"]


def _event(origin: str, name: str, operation: Json, named: Json) -> Event:
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return Event(
        id=operation["operationId"],
        name=name,
        summary=operation["summary"].rstrip("."),
        data=reference(schema["properties"]["data"]),
        message=_drawn(example(schema, named, whole=True), origin),
    )


def _drawn(value: Any, origin: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace(ORIGIN, origin)


def _answer(status: int, found: Json) -> Answer:
    content = found.get("content", {})
    schema: Json = next((shown.get("schema", {}) for shown in content.values()), {})
    return Answer(status, _marked(found["description"]), reference(schema), MEDIA_TYPE in content)


def _shape(name: str, schema: Json, named: Json) -> Shape:
    required = schema.get("required", [])
    fields = [_field(field, found, named, field in required) for field, found in schema["properties"].items()]
    return Shape(name, _marked(schema.get("description", "")), fields)


def _field(name: str, schema: Json, named: Json, required: bool, place: str = "") -> Field:
    shape = reference(schema)
    return Field(
        name=name,
        kind=_kind(schema, named).removesuffix(" or null" if place else ""),
        shape=shape if named.get(shape, {}).get("properties") else "",
        required=required,
        place=place,
        description=_marked(schema.get("description", "")),
    )


def _kind(schema: Json, named: Json) -> str:
    """A schema in a few words: "string (uuid) or null", "list of BadRun"."""
    if "$ref" in schema:
        name = reference(schema)
        return " | ".join(named[name]["enum"]) if "enum" in named[name] else name
    if "anyOf" in schema:
        return " or ".join(_kind(option, named) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), named)}"
    limits = [
        f"{word} {schema[key]}"
        for key, word in (("minimum", "≥"), ("maximum", "≤"))
        if schema.get(key, HUGE) < HUGE
    ]
    details = ", ".join([schema["format"]] if "format" in schema else limits)
    return f"{schema.get('type', 'anything')}{f' ({details})' if details else ''}"


def _used(parts: Any, shown: Json) -> set[str]:
    """The shapes that these parts of the document lead to, also by way of other shapes."""
    found: set[str] = set()
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(parts))) & shown.keys()
    while names:
        found |= names
        inner = re.findall(r'"#/components/schemas/(\w+)"', json.dumps([shown[name] for name in names]))
        names = set(inner) & shown.keys() - found
    return found


def _curl(address: str, method: str, body: Any) -> str:
    address = re.sub(r"\{(\w+)\}", lambda found: "$" + found[1].upper(), address)
    lines = [f'curl -X {method} "{address}"', '  -H "Authorization: Bearer $KEY"']
    if body is not None:
        text = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
        lines += ['  -H "Content-Type: application/json"', f"  -d '{text}'"]
    return " \\\n".join(lines)


def _marked(text: str) -> SafeString:
    """Text with what stands between backticks as code."""
    parts = re.split(r"`([^`]*)`", text)
    pieces = [format_html("<code>{}</code>" if index % 2 else "{}", part) for index, part in enumerate(parts)]
    return mark_safe("".join(pieces))  # noqa: S308 each piece is escaped
