"""The document that describes the API: ninja's, with scopes and with problems as they are answered."""

from http.client import responses
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from config import examples, webhooks
from generation.rest.problems import MEDIA_TYPE, Problem

SECURITY = "ApiKey"
WHEN = {
    401: "No key, or one that does not hold.",
    403: "The key's scopes do not reach.",
    404: "There is nothing of this id or name.",
    409: "The state does not allow it; `detail` says which it is.",
    413: "The body is too large.",
    416: "The file has none of the bytes that `Range` asks for; `Content-Range` says how many it has.",
    422: "Something in the body or a parameter is not right; `errors` points at each bad field.",
    429: "The key made too many calls; `Retry-After` says for how many seconds to wait.",
    500: "Something went wrong inside; it was logged. The same call may succeed later.",
    503: "The database takes nothing at the moment; `Retry-After` says for how many seconds to wait.",
}
ALWAYS = {401, 403, 422, 429, 500, 503}
WAITS = (429, 503)
IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "required": False,
    "description": "The `ETag` of the answer that the caller has; 304 where it still holds.",
}
HEADERS = {
    "ETag": {"schema": {"type": "string"}, "description": "The version of this answer."},
    "Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds to wait."},
    "RateLimit": {
        "schema": {"type": "string"},
        "description": 'How many calls the key has left, and for how many seconds: `"key";r=598;t=42`.',
    },
    "RateLimit-Policy": {
        "schema": {"type": "string"},
        "description": 'How many calls it has in so many seconds: `"key";q=600;w=60`.',
    },
}


class Document(OpenAPISchema):
    """OpenAPI 3.1."""

    def __init__(self, api: NinjaAPI, path_prefix: str) -> None:
        super().__init__(api, path_prefix)
        self["components"]["schemas"] |= _schemas_of_problems() | webhooks.schemas()
        self["components"]["headers"] = HEADERS
        self["webhooks"] = webhooks.described()
        examples.add(self["paths"], self["components"]["schemas"])

    def operation_parameters(self, operation: Operation) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super().operation_parameters(operation)
        return [*found, IF_NONE_MATCH] if _has_etag(operation) else found

    def responses(self, operation: Operation) -> dict[int, Any]:
        """What the operation answers, then the problems that it declares or that every call may meet."""
        found: dict[int, Any] = super().responses(operation)
        statuses = {status for status in found if status >= 400} | ALWAYS
        if any(model.__ninja_param_source__ == "body" for model in operation.models):
            statuses.add(413)
        problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for status in sorted(statuses):
            found[status] = {"description": WHEN.get(status, responses[status]), "content": problem}
        if _has_etag(operation):
            found[304] = {"description": "The caller has it: nothing changed since."}
        for status, answer in found.items():
            names = ["RateLimit", "RateLimit-Policy"] if status != 401 else []
            names += ["ETag"] if status in (200, 206, 304) and _has_etag(operation) else []
            names += ["Retry-After"] if status in WAITS else []
            given = answer.get("headers", {})
            answer["headers"] = given | {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        return found

    def operation_security(self, operation: Operation) -> list[dict[str, list[str]]]:
        """The scope, which OpenAPI 3.1 lets a bearer key have."""
        found = []
        for auth in operation.auth_callbacks:
            self.securitySchemes[SECURITY] = {
                "type": "http",
                "scheme": "bearer",
                "description": "`Authorization: Bearer KEY`. `manage.py create_api_key NAME` prints a key.",
            }
            found.append({SECURITY: [auth.scope]})  # type: ignore[attr-defined]
        return found


def _has_etag(operation: Operation) -> bool:
    """Reads that are answered whole, and files, which are answered in parts, too; streams have none."""
    models = operation.response_models
    return operation.methods == ["GET"] and (models.get(200) is not None or 206 in models)


def _schemas_of_problems() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**schema.pop("$defs"), "Problem": schema}
