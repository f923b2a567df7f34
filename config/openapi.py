"""The document that describes the API: ninja's, with scopes and with problems as they are answered."""

from http.client import responses
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from config import webhooks
from generation.rest.problems import MEDIA_TYPE, Problem

SECURITY = "ApiKey"
WHEN = {
    401: "No key, or one that does not hold.",
    403: "The key's scopes do not reach.",
    404: "There is nothing of this id or name.",
    409: "The state does not allow it; `detail` says which it is.",
    413: "The body is too large.",
    422: "Something in the body or a parameter is not right; `errors` points at each bad field.",
    429: "The key made too many calls; `Retry-After` says for how many seconds to wait.",
}


class Document(OpenAPISchema):
    """OpenAPI 3.1."""

    def __init__(self, api: NinjaAPI, path_prefix: str) -> None:
        super().__init__(api, path_prefix)
        self["components"]["schemas"] |= _schemas_of_problems() | webhooks.schemas()
        self["webhooks"] = webhooks.described()

    def responses(self, operation: Operation) -> dict[int, Any]:
        """What the operation answers, then the problems that it declares or that every call may meet."""
        found: dict[int, Any] = super().responses(operation)
        statuses = {status for status in found if status >= 400} | {401, 403, 429}
        if operation.models:
            statuses.add(422)
        if any(model.__ninja_param_source__ == "body" for model in operation.models):
            statuses.add(413)
        problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for status in sorted(statuses):
            found[status] = {"description": WHEN.get(status, responses[status]), "content": problem}
        if 429 in found:
            found[429] = found[429] | {"headers": {"Retry-After": {"schema": {"type": "integer"}}}}
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


def _schemas_of_problems() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**schema.pop("$defs"), "Problem": schema}
